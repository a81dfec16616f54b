package main

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestLacks: a whole document lacks nothing, and without any of its parts it does.
func TestLacks(t *testing.T) {
	chosen := suite{timed: []timed{{ID: "t"}}, precisions: []precision{{ID: "p", Members: 2}}, searches: []searching{{ID: "s", Budget: 8}}}
	best := &found{Structure: structure.MustParse("complex"), ValidMRR: 0.5}
	whole := func() document {
		o := outcome{PerStep: 1, Valid: []float64{0.5, 0.5}, Test: []float64{0.5, 0.5}}
		p := compared{precision: chosen.precisions[0], Outcomes: []outcome{o, o}}
		p.Outcomes[1].Valid, p.Outcomes[1].Test = []float64{0.4, 0.5}, []float64{0.4, 0.5}
		return document{Command: "c", Date: "d", Machine: "m", Versions: map[string]string{"go": "go1"}, Result: result{
			Engine:     "gomlx",
			Cases:      []timing{{timed: chosen.timed[0], Ours: []float64{1}, Peer: []float64{2}}},
			Precisions: []compared{p},
			Searches:   []searched{{searching: chosen.searches[0], Trained: 8, Stopped: search.BudgetSpent, Best: best, Named: best}},
		}}
	}
	if err := lacks(whole(), chosen, true); err != nil {
		t.Error(err)
	}
	alone := whole()
	alone.Result.Cases[0].Peer = nil
	if err := lacks(alone, chosen, false); err != nil {
		t.Error(err)
	}
	inPieces := whole()
	inPieces.Result.Searches[0] = searched{searching: chosen.searches[0], Stopped: search.TimeUp, Named: best}
	if err := lacks(inPieces, chosen, true); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*document){
		"command":       func(d *document) { d.Command = "" },
		"date":          func(d *document) { d.Date = "" },
		"machine":       func(d *document) { d.Machine = "" },
		"versions":      func(d *document) { d.Versions = nil },
		"left out":      func(d *document) { d.Result.LeftOut = []string{"x"} },
		"case":          func(d *document) { d.Result.Cases = nil },
		"our times":     func(d *document) { d.Result.Cases[0].Ours = nil },
		"peer's times":  func(d *document) { d.Result.Cases[0].Peer = nil },
		"a time of 0":   func(d *document) { d.Result.Cases[0].Ours = []float64{0} },
		"no number":     func(d *document) { d.Result.Cases[0].Ours = []float64{math.NaN()} },
		"infinite":      func(d *document) { d.Result.Cases[0].Ours = []float64{math.Inf(1)} },
		"precisions":    func(d *document) { d.Result.Precisions = nil },
		"one precision": func(d *document) { d.Result.Precisions[0].Outcomes = d.Result.Precisions[0].Outcomes[:1] },
		"a seed":        func(d *document) { d.Result.Precisions[0].Outcomes[1].Valid = []float64{0.5} },
		"an MRR":        func(d *document) { d.Result.Precisions[0].Outcomes[1].Test[0] = 0 },
		"a step's time": func(d *document) { d.Result.Precisions[0].Outcomes[0].PerStep = 0 },
		"search":        func(d *document) { d.Result.Searches = nil },
		"structures":    func(d *document) { d.Result.Searches[0].Trained = 7 },
		"the best":      func(d *document) { d.Result.Searches[0].Best = nil },
		"named models":  func(d *document) { d.Result.Searches[0].Named = nil },
	} {
		d := whole()
		spoil(&d)
		if lacks(d, chosen, true) == nil {
			t.Errorf("without %s nothing is missed", name)
		}
	}
}

func TestWentOn(t *testing.T) {
	at := func(trained, resumed int, stopped search.Stop) []searched {
		return []searched{{Trained: trained, Resumed: resumed, Stopped: stopped}}
	}
	for name, c := range map[string]struct {
		before, after []searched
		right         bool
	}{
		"no search":     {nil, nil, true},
		"first piece":   {nil, at(8, 0, search.TimeUp), true},
		"went on":       {at(8, 0, search.TimeUp), at(20, 8, search.BudgetSpent), true},
		"did not stop":  {nil, at(20, 0, search.BudgetSpent), false},
		"began anew":    {at(8, 0, search.TimeUp), at(20, 0, search.BudgetSpent), false},
		"stopped again": {at(8, 0, search.TimeUp), at(8, 8, search.TimeUp), false},
	} {
		if err := wentOn(c.before, c.after); (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}
