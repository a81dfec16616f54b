package proofs

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Transport returns a model with the structure to that gives every triple the same score as m.
// It returns an error if to is not equivalent to m's structure under the full group, and for a form
// that has no structure. The new model has no training record and no metrics, since it was neither
// trained nor measured.
//
// Statement: every A' in the orbit of A gives the scores of A if its embeddings are those of A
// up to a signed permutation of chunks. So ranks, losses and penalties are the same, except for
// norms of several chunks (N3Block of [kge.Weights]).
// Permutations of chunks and signs of relation chunks are the
// paper's Proposition 3; new are the signs of entity chunks, A'_ij = s_i s_j A_ij,
// which join up to 2^(K-1) of its classes into one.
//
// Idea: under a symmetry each block sign(A_ij)⟨h_i, r_|A_ij|, t_j⟩ of one score
// becomes a block of the other with the same three chunks, and every sign taken
// from a chunk is given to the cell. No number is rounded; scores computed in
// floating point may differ only by the order in which blocks are added.
func Transport(m *kge.Model, to structure.Structure) (*kge.Model, error) {
	if !m.Form.HasStructure() {
		return nil, fmt.Errorf("a model of %v has no structure: take a bilinear one", m.Form)
	}
	symmetry, ok := m.Structure.SymmetryTo(to, structure.Full)
	if !ok {
		return nil, fmt.Errorf("the structures %s and %s are not equivalent, so no signed permutation "+
			"of chunks carries the scores of one to the other: "+
			"take one with the canonical form %s", m.Structure, to, m.Structure.Canonical(structure.Full))
	}
	p := m.Parameters
	p.Structure = to
	p.Entities = rows(m.Entities, m.Dim, symmetry, structure.CarryEntity)
	p.Relations = rows(m.Relations, m.Dim, symmetry, structure.CarryRelation)
	p.More = nil
	for _, translations := range m.More { // of a translated form; they are added to heads
		p.More = append(p.More, rows(translations, m.Dim, symmetry, structure.CarryEntity))
	}
	return &kge.Model{
		Parameters:     p,
		Dataset:        m.Dataset,
		Source:         m.Source,
		TrainedOn:      m.TrainedOn,
		EntityLabels:   m.EntityLabels,
		RelationLabels: m.RelationLabels,
	}, nil
}

// rows transforms a table of embeddings row by row.
func rows(table []float32, dim int, s structure.Symmetry,
	carry func(structure.Symmetry, []float32) []float32) []float32 {
	image := make([]float32, 0, len(table))
	for row := 0; row < len(table); row += dim {
		image = append(image, carry(s, table[row:][:dim])...)
	}
	return image
}
