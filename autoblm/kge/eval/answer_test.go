package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

func TestAnswerJSON(t *testing.T) {
	for known, want := range map[eval.Known]string{
		eval.Yes:         `{"entity":"e2","score":1.5,"rank":1,"known":true}`,
		eval.No:          `{"entity":"e2","score":1.5,"rank":1,"known":false}`,
		eval.NotLookedUp: `{"entity":"e2","score":1.5,"rank":1,"known":null}`,
	} {
		if got, err := json.Marshal(eval.Answer{Entity: "e2", Score: 1.5, Rank: 1,
			Known: known}); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}

func TestKnownAnswersText(t *testing.T) {
	for known, text := range map[eval.KnownAnswers]string{eval.MarkKnown: "mark",
		eval.DropKnown: "drop", eval.KeepKnown: "keep"} {
		back := eval.KnownAnswers(-1)
		if err := back.UnmarshalText([]byte(text)); err != nil || back != known ||
			known.String() != text {
			t.Errorf("%q is read as %v (%v) and written as %q", text, back, err, known)
		}
	}
	kept := eval.DropKnown
	checkError(t, kept.UnmarshalText([]byte("hide")), `"hide"`, "mark, drop or keep")
	if kept != eval.DropKnown {
		t.Error("a name that is refused changed the choice")
	}
	if got := eval.KnownAnswers(5).String(); got != "choice(5)" {
		t.Errorf("%q", got)
	}
}

// checkError checks that an error contains all parts.
func checkError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one with %q", err, part)
		}
	}
}
