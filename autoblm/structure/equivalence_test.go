package structure

import "testing"

func BenchmarkCanonicalK4(b *testing.B) {
	for _, model := range HumanDesigned() {
		b.Run(model.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				model.Structure.Canonical(Full)
			}
		})
	}
}
