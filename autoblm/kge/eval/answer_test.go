package eval_test

import (
	"encoding/json"
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
