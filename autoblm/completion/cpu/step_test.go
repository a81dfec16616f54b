package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
)

// BenchmarkStep is ten training steps of ComplEx at d 64 on a benchmark; run it
// with -cpuprofile to see where they go.
func BenchmarkStep(b *testing.B) {
	for name, batch := range map[string]int{"umls": 256, "wn18rr": 512} {
		b.Run(name, func(b *testing.B) {
			g, err := datasets.ReadFolder(realdata.Folder(b, name))
			if err != nil {
				b.Fatal(err)
			}
			s := completion.DefaultSettings()
			s.Batch = batch
			p, err := New(0).NewPopulation(g, s, []completion.Member{completion.DefaultMember(structure.MustParse("complex"))})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			for b.Loop() {
				if _, err := p.Epoch(b.Context(), g.Train[:10*batch], 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
