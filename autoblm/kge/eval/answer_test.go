package eval_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/require"
)

func TestAnswerJSON(t *testing.T) {
	for known, want := range map[eval.Known]string{
		eval.Yes:         `{"entity":"e2","score":1.5,"rank":1,"known":true}`,
		eval.No:          `{"entity":"e2","score":1.5,"rank":1,"known":false}`,
		eval.NotLookedUp: `{"entity":"e2","score":1.5,"rank":1,"known":null}`,
	} {
		answer := eval.Answer{Entity: "e2", Score: 1.5, Rank: 1, Known: known}
		got, err := json.Marshal(answer)
		if err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
		read := eval.Answer{Known: eval.Yes}
		if err := json.Unmarshal(got, &read); err != nil || !reflect.DeepEqual(read, answer) {
			t.Errorf("%s is read as %+v (%v)", got, read, err)
		}
	}
	require.Error(t, json.Unmarshal([]byte(`{"known": 1}`), &eval.Answer{}), "value of known")
}

func TestKnownAnswersJSON(t *testing.T) {
	for _, known := range []eval.KnownAnswers{eval.DropKnown, eval.MarkKnown, eval.KeepKnown} {
		text, err := json.Marshal(known)
		require.NoError(t, err)
		read := eval.KnownAnswers(-1)
		if err := json.Unmarshal(text, &read); err != nil || read != known {
			t.Errorf("%s is read as %v (%v), want %v", text, read, err, known)
		}
	}
}
