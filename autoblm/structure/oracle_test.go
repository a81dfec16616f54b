package structure

import (
	"testing"

	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/google/go-cmp/cmp"
)

// TestOracle compares every property with cases that an independent program computed.
func TestOracle(t *testing.T) {
	type properties struct {
		K               int      `json:"k"`
		Structure       string   `json:"structure"`
		Nonzeros        int      `json:"nonzeros"`
		DegeneratePaper bool     `json:"degenerate_paper"`
		Degenerate      bool     `json:"degenerate"`
		ModeNames       []string `json:"degenerate_modes"`
		CanonicalPaper  string   `json:"canonical_paper"`
		Canonical       string   `json:"canonical"`
		OrbitPaper      uint64   `json:"orbit_paper"`
		Orbit           uint64   `json:"orbit"`
		SRF             []int    `json:"srf"`
		FullyExpressive bool     `json:"fully_expressive"`
		BothWitnesses   bool     `json:"prop1"`
		Name            string   `json:"name"`
	}
	for _, want := range realdata.Oracle[properties](t, "structures.json") {
		s, err := Parse(want.Structure)
		if err != nil {
			t.Error(err)
			continue
		}
		got := properties{
			K: s.K(), Structure: s.String(), Nonzeros: s.Nonzeros(), Name: s.Name(),
			DegeneratePaper: s.DegeneratePaper(), Degenerate: s.Degenerate(), ModeNames: []string{},
			CanonicalPaper: s.Canonical(Paper).String(), Canonical: s.Canonical(Full).String(),
			OrbitPaper: s.Orbit(Paper), Orbit: s.Orbit(Full),
			FullyExpressive: s.FullyExpressive(),
			BothWitnesses:   s.SymmetricWitness() != nil && s.SkewSymmetricWitness() != nil,
		}
		if s.K() < usualK { // the oracle names only structures with as many chunks
			got.Name = ""
		}
		for _, mode := range s.DegenerateModes() {
			got.ModeNames = append(got.ModeNames, mode.String())
		}
		for _, feature := range s.SRF() {
			got.SRF = append(got.SRF, int(feature))
		}
		if difference := cmp.Diff(want, got); difference != "" {
			t.Errorf("%s (-want +got):\n%s", want.Structure, difference)
		}
	}
}

// TestOracleScores compares Score with scores of all tails and heads that an
// independent program computed.
func TestOracleScores(t *testing.T) {
	type step struct {
		K          int
		A          []int
		Entities   [][]float64
		Relations  [][]float64
		Triples    [][3]int
		TailScores [][]float64 `json:"tail_scores"`
		HeadScores [][]float64 `json:"head_scores"`
	}
	compared := 0
	for n, step := range realdata.Oracle[step](t, "steps.json") {
		s := Zero(step.K)
		for cell, value := range step.A {
			s = s.With(cell/step.K, cell%step.K, value)
		}
		for row, triple := range step.Triples {
			head, relation, tail := step.Entities[triple[0]], step.Relations[triple[1]],
				step.Entities[triple[2]]
			for e, entity := range step.Entities {
				closeTo(t, n, s.Score(head, relation, entity), step.TailScores[row][e])
				closeTo(t, n, s.Score(entity, relation, tail), step.HeadScores[row][e])
				compared += 2
			}
		}
	}
	if compared == 0 {
		t.Fatal("the file has no scores")
	}
}

func closeTo(t *testing.T, step int, got, want float64) {
	t.Helper()
	if difference := got - want; difference > 1e-6 || difference < -1e-6 {
		t.Errorf("case %d: score %v, want %v", step, got, want)
	}
}
