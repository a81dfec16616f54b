package show

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

func TestPredictions(t *testing.T) {
	text := terminal(t)
	Predictions([]eval.Answer{
		{Rank: 1, Entity: "Spain", Score: 7.25, Known: eval.Yes},
		{Rank: 2, Entity: "Guinea-Bissau", Score: -1, Known: eval.No},
	})
	want := "rank  answer         score   in the graph\n" +
		"1     Spain          7.250   yes\n" +
		"2     Guinea-Bissau  -1.000  no\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
