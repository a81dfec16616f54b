package structure

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSignTensorGivesTheScore computes both query vectors as documented in SignTensor.
func TestSignTensorGivesTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		k, width := s.K(), rapid.IntRange(1, 3).Draw(t, "chunk width")
		embedding := anyEmbedding(k * width)
		head, relation, tail := embedding.Draw(t, "head"), embedding.Draw(t, "relation"),
			embedding.Draw(t, "tail")
		tailQuery, headQuery := make([]float64, k*width), make([]float64, k*width)
		for n, sign := range s.SignTensor() {
			i, r, j := n/(k*k), n/k%k, n%k
			for x := range width {
				tailQuery[j*width+x] += float64(sign) * head[i*width+x] * relation[r*width+x]
				headQuery[i*width+x] += float64(sign) * relation[r*width+x] * tail[j*width+x]
			}
		}
		want := s.Score(head, relation, tail)
		if got := dot(tailQuery, tail); got != want {
			t.Fatalf("%s: the tail query scores %v, want %v", s, got, want)
		}
		if got := dot(head, headQuery); got != want {
			t.Fatalf("%s: the head query scores %v, want %v", s, got, want)
		}
	})
}

func dot(a, b []float64) float64 {
	total := 0.0
	for n := range a {
		total += a[n] * b[n]
	}
	return total
}

// TestBaselinesAreTheirDefinitions compares baselines with the formulas of their papers; those of HolE
// and CP are in definitions_test.go.
func TestBaselinesAreTheirDefinitions(t *testing.T) {
	definitions := map[string]func(h, r, t []float64) float64{
		// Yang et al., 2015.
		"distmult": func(h, r, t []float64) float64 {
			return h[0]*r[0]*t[0] + h[1]*r[1]*t[1] + h[2]*r[2]*t[2] + h[3]*r[3]*t[3]
		},
		// Each entity has a head and a tail vector; each relation has a vector per direction
		// (Kazemi and Poole, 2018). The factor ½ is left out.
		"simple": func(h, r, t []float64) float64 {
			return h[0]*r[0]*t[2] + h[1]*r[1]*t[3] + h[2]*r[2]*t[0] + h[3]*r[3]*t[1]
		},
		// Re⟨h, r, conj(t)⟩ with real parts in the first half (Trouillon et al., 2016).
		"complex": func(h, r, t []float64) float64 {
			return hermitian(h, r, t, 0, 2) + hermitian(h, r, t, 1, 3)
		},
		// hᵀ B t where B has scalars and 2×2 blocks [x, y; -y, x] (Liu et al., 2017).
		"analogy": func(h, r, t []float64) float64 {
			x, y := r[2], r[3]
			return h[0]*r[0]*t[0] + h[1]*r[1]*t[1] +
				h[2]*(x*t[2]+y*t[3]) + h[3]*(-y*t[2]+x*t[3])
		},
		// ⟨h⊗r, t⟩ with Hamilton's product (Zhang et al., 2019), for conj(r) instead of r:
		// the models are the same. The norm of r is free.
		"quate": func(h, r, t []float64) float64 {
			return dot(hamilton(h, []float64{r[0], -r[1], -r[2], -r[3]}), t)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		embedding := anyEmbedding(4)
		head, relation, tail := embedding.Draw(t, "head"), embedding.Draw(t, "relation"),
			embedding.Draw(t, "tail")
		for _, model := range Baselines() {
			got, want := model.Structure.Score(head, relation, tail),
				definitions[model.Name](head, relation, tail)
			if got != want {
				t.Errorf("%s scores %v, its definition %v", model.Name, got, want)
			}
		}
	})
}

func hermitian(h, r, t []float64, re, im int) float64 {
	score := complex(h[re], h[im]) * complex(r[re], r[im]) * complex(t[re], -t[im])
	return real(score)
}

// hamilton returns the product of quaternions over the real or complex numbers.
func hamilton[N float64 | complex128](a, b []N) []N {
	return []N{
		a[0]*b[0] - a[1]*b[1] - a[2]*b[2] - a[3]*b[3],
		a[0]*b[1] + a[1]*b[0] + a[2]*b[3] - a[3]*b[2],
		a[0]*b[2] - a[1]*b[3] + a[2]*b[0] + a[3]*b[1],
		a[0]*b[3] + a[1]*b[2] - a[2]*b[1] + a[3]*b[0],
	}
}

func TestNamesAreOfTheClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := rapid.SampledFrom(Baselines()).Draw(t, "model")
		image := anyElement(4, Full).Draw(t, "element").apply(model.Structure)
		if image.Name() != model.Name {
			t.Fatalf("%s is called %q, want %q", image, image.Name(), model.Name)
		}
		i, j := rapid.IntRange(0, 3).Draw(t, "i"), rapid.IntRange(0, 3).Draw(t, "j")
		if other := image.With(i, j, 0); other != image && other.Name() != "" {
			t.Fatalf("%s is called %q, but no baseline has %d nonzeros", other, other.Name(),
				other.Nonzeros())
		}
	})
}

func TestOneHot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		k, features := s.K(), s.OneHot()
		symbols := 2*k + 1
		if len(features) != k*k*symbols {
			t.Fatalf("%d features, want %d", len(features), k*k*symbols)
		}
		for n, feature := range features {
			cell, value := n/symbols, n%symbols-k
			if isHere := s.At(cell/k, cell%k) == value; isHere != (feature == 1) || feature > 1 {
				t.Fatalf("%s: feature of the value %d in cell %d is %d", s, value, cell, feature)
			}
		}
	})
}
