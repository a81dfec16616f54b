package reproduce

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Print prints the result.
func (r Result) Print(w io.Writer) {
	if r.Search != nil {
		r.Search.print(w, r.Dataset)
	}
	if r.Search != nil && r.Final != nil {
		fmt.Fprintln(w)
	}
	if r.Final != nil {
		r.Final.print(w, r.Dataset)
	}
}

func (s *Searched) print(w io.Writer, dataset string) {
	fmt.Fprintf(w, "search on %s, recipe %s: %d of %s in %s\n", dataset, s.Recipe, s.Trained,
		format.Count(s.Budget, "structure"), format.Seconds(s.Seconds+s.Overhead))
	t := table.New("", "valid MRR", "test MRR", "structure")
	for i, f := range s.Best[:min(len(s.Best), study.MostShown)] {
		t.Add(fmt.Sprintf("found %d", i+1), f.ValidMRR, f.TestMRR, f.Structure)
	}
	for _, f := range s.Baselines {
		t.Add(structure.TitleOf(f.Name), f.ValidMRR, f.TestMRR, "")
	}
	if len(t.Rows) > 0 {
		fmt.Fprintln(w)
		t.Print(w)
	}
}

func (f *Trained) print(w io.Writer, dataset string) {
	s := f.Training.Settings
	fmt.Fprintf(w, "final training on %s, recipe %s: %s, d %d%s, %d of %s in %s\n",
		dataset, f.Recipe, f.Title(), s.Dim, s.Precision.Suffix(),
		f.Epochs, format.Count(s.Epochs, "epoch"), format.Seconds(f.Seconds.Train))
	if f.Test == nil {
		return
	}
	fmt.Fprintln(w)
	t := completion.NewTable()
	f.Valid.AddTo(t, fmt.Sprintf("valid, epoch %d", f.BestEpoch), false)
	f.Test.AddTo(t, "test", false)
	p := f.Published
	if p != nil {
		var hits1, hits10 any // empty if they are unknown
		if p.HasHits() {
			hits1, hits10 = p.Hits1, p.Hits10
		}
		t.Add("published: "+p.Model, p.MRR, hits1, nil, hits10, nil)
	}
	t.Print(w)
	if p != nil {
		fmt.Fprintf(w, "(published: %s)\n", p.Source)
	}
}
