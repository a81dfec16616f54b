package kge_test

import (
	"encoding/json"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

func TestAnswerJSON(t *testing.T) {
	for known, want := range map[kge.Known]string{
		kge.Yes:         `{"entity":"e2","score":1.5,"rank":1,"known":true}`,
		kge.No:          `{"entity":"e2","score":1.5,"rank":1,"known":false}`,
		kge.NotLookedUp: `{"entity":"e2","score":1.5,"rank":1,"known":null}`,
	} {
		if got, err := json.Marshal(kge.Answer{Entity: "e2", Score: 1.5, Rank: 1, Known: known}); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}

func TestKnownAnswersText(t *testing.T) {
	for known, text := range map[kge.KnownAnswers]string{kge.MarkKnown: "mark", kge.DropKnown: "drop", kge.KeepKnown: "keep"} {
		back := kge.KnownAnswers(-1)
		if err := back.UnmarshalText([]byte(text)); err != nil || back != known || known.String() != text {
			t.Errorf("%q is read as %v (%v) and written as %q", text, back, err, known)
		}
	}
	kept := kge.DropKnown
	checkError(t, kept.UnmarshalText([]byte("hide")), `"hide"`, "mark, drop or keep")
	if kept != kge.DropKnown {
		t.Error("a name that is refused changed the choice")
	}
	if got := kge.KnownAnswers(5).String(); got != "choice(5)" {
		t.Errorf("%q", got)
	}
}
