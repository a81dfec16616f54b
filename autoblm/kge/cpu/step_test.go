package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
)

// BenchmarkRecipe measures a training step of ComplEx with each part of a recipe alone, and with
// none: on FB15k-237 at d 256, and on UMLS at d 64.
func BenchmarkRecipe(b *testing.B) {
	for _, recipe := range []struct {
		name    string
		set     func(s *kge.Settings)
		weights kge.Weights
	}{
		{name: "plain"},
		{name: "n3", weights: kge.Weights{N3: 0.05}},
		{name: "reciprocal", set: func(s *kge.Settings) { s.Reciprocal = true }},
		{name: "products", weights: kge.Weights{Products: 0.05}},
		{name: "relation prediction", weights: kge.Weights{RelationPrediction: 0.5}},
		{name: "reciprocal relation prediction", set: func(s *kge.Settings) { s.Reciprocal = true },
			weights: kge.Weights{RelationPrediction: 0.5}},
		{name: "dropout", set: func(s *kge.Settings) { s.Dropout = 0.2 }},
		{name: "largest norm", set: func(s *kge.Settings) { s.MaxNorm = 1 }},
	} {
		for _, on := range []struct {
			name               string
			dim, batch, number int
		}{{"fb15k-237", 256, 512, 1}, {"umls", 64, 256, 10}} {
			b.Run(on.name+"/"+recipe.name, func(b *testing.B) {
				s := kge.DefaultSettings()
				s.Dim, s.Batch = on.dim, on.batch
				if recipe.set != nil {
					recipe.set(&s)
				}
				benchmarkSteps(b, on.name, on.number, s, recipe.weights)
			})
		}
	}
}

func benchmarkSteps(b *testing.B, name string, number int, s kge.Settings, w kge.Weights) {
	g, err := datasets.ReadFolder(realdata.Folder(b, name))
	if err != nil {
		b.Fatal(err)
	}
	m := kge.DefaultMember(structure.MustParse("complex"))
	m.Weights = w
	p, err := New(0).NewPopulation(completion.Data(g), s, []kge.Member{m})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	batches := slices.Collect(slices.Chunk(completion.Examples(g.Train[:number*s.Batch]), s.Batch))
	for b.Loop() {
		if _, err := p.Epoch(b.Context(), batches, []float64{0.3}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSizes measures a training step of ComplEx in the sizes of docs/performance.md.
func BenchmarkSizes(b *testing.B) {
	for _, c := range []struct {
		name               string
		dim, batch, number int
	}{{"umls", 64, 256, 10}, {"wn18rr", 64, 512, 4}, {"fb15k-237", 64, 512, 8},
		{"wn18rr", 512, 512, 2}, {"wn18rr", 1000, 512, 1}, {"fb15k-237", 2000, 1000, 1}} {
		b.Run(fmt.Sprintf("%s-%d", c.name, c.dim), func(b *testing.B) {
			s := kge.DefaultSettings()
			s.Dim, s.Batch, s.Precision = c.dim, c.batch, kge.AutoPrecision
			benchmarkSteps(b, c.name, c.number, s, kge.Weights{})
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*c.number), "ms/step")
		})
	}
}
