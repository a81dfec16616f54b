package recipe

import (
	"cmp"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestDefault checks what the default recipe makes of the size of a graph and of memory.
func TestDefault(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		what                                    string
		size                                    Size
		name                                    string
		dim, batch, sampled, answers, validated int
		n3                                      float64
	}{
		{"nations", Size{Entities: 14, Train: 1592, Valid: 199}, "default-small", 512, 128, 0, 0, 0, .02},
		{"250 entities", Size{Entities: 250, Train: 9e4, Valid: 9}, "default-small", 512, 128, 0, 0, 0, .02},
		{"251 entities", Size{Entities: 251, Train: 9e4, Valid: 9}, "default", 512, 128, 0, 0, 0, .1},
		{"fb15k-237", Size{Entities: 14_541, Train: 272_115, Valid: 17_535}, "dense", 512, 500, 0, 16, 0, .1},
		{"its engine has the full softmax only",
			Size{Entities: 14_541, Train: 272_115, Valid: 9, Full: true}, "default", 512, 128, 0, 0, 0, .1},
		{"wn18rr", Size{Entities: 40_943, Train: 86_835, Valid: 3034}, "large", 512, 500, 2048, 0, 0, .1},
		{"packages", Size{Entities: 129_362, Train: 624_528, Valid: 78_066, Memory: 20 * gib},
			"huge", 512, 500, 512, 0, 4000, .1},
		{"packages in little memory",
			Size{Entities: 129_362, Train: 624_528, Valid: 78_066, Memory: gib / 2},
			"huge", 128, 500, 512, 0, 4000, .1},
		{"a million", Size{Entities: 1e6, Train: 3e6, Valid: 5e4}, "vast", 512, 500, 256, 0, 4000, .2},
	} {
		r := Default(c.size)
		s := r.Training
		if r.Name != c.name || s.Dim != c.dim || s.Batch != c.batch || s.SampledSoftmax != c.sampled ||
			s.AnswersPerQuery != c.answers || s.ValidateSample != c.validated ||
			r.Member(r.Structure, 1).N3 != c.n3 {
			t.Errorf("%s: %s, %+v, want %+v", c.what, r.Name, s, c)
		}
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestDefaultOfGraphs checks that a graph without validation triples is not validated, and that the
// default recipe of a form trains that form: its own if it has one, or else the basic one.
func TestDefaultOfGraphs(t *testing.T) {
	g := &datasets.Graph{Entities: make([]string, 14)}
	for _, f := range form.All() {
		if got := ForGraph(g, f).Training; got.ValidateEvery != 0 || got.Patience != 0 {
			t.Errorf("%v without validation triples: %+v", f, got)
		}
	}
	plateau := kge.Settings{ValidateEvery: 5, Patience: 3, PlateauPatience: 2, PlateauFactor: .5}
	if (Size{}).FitValidation(&plateau); plateau != (kge.Settings{}) {
		t.Errorf("without validation triples: %+v", plateau)
	}
	for valid, sample := range map[int]int{100: 0, 4000: 0, 4001: 4000} {
		g.Valid = make([]datasets.Triple, valid)
		slow := []form.Form{form.RotatE, form.DefaultConvE.Form(), form.RSN, form.CellWN18RR.Form()}
		for _, f := range slow {
			if got := ForGraph(g, f).Training.ValidateSample; got != sample {
				t.Errorf("%v validates a sample of %d of %d triples, want %d", f, got, valid, sample)
			}
		}
	}
	own := map[form.Form]string{
		form.TransE: "transe", form.TransH: "transh", form.RotatE: "rotate", form.PairRE: "pairre",
		form.Core(1): "tucker", form.Core(2): "tucker",
	}
	for _, f := range form.All()[1:] {
		r := ForGraph(nil, f)
		if want := cmp.Or(own[f], "basic"); r.Name != want {
			t.Errorf("%v is trained by %s, want %s", f, r.Name, want)
		}
		m := r.Member(structure.Structure{}, 1)
		if m.Form != f {
			t.Errorf("the recipe of %v is for %v", f, m.Form)
		}
		if err := r.Training.ValidateFor(m); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}
