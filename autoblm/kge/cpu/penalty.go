package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// norms holds the weights of penalties on the norms of rows.
type norms struct{ l2, n3 float64 }

func (t *trainer) entityNorms() norms {
	return norms{l2: t.member.L2 + t.member.EntityL2, n3: t.member.N3 + t.member.EntityN3}
}

func (t *trainer) relationNorms() norms {
	return norms{l2: t.member.L2 + t.member.RelationL2, n3: t.member.N3 + t.member.RelationN3}
}

// penalizeRows returns the penalty of rows and adds its gradient. weight is the weight of an
// example, or of its reverse, in the batch.
func (t *trainer) penalizeRows(
	s *scratch, gradient, x kernel.Table, rows int, of norms, weight float32,
) (loss float64) {
	if block := t.member.N3Block; block > 1 && of.n3 != 0 {
		// All rows have d columns, as the form has a structure.
		cubes := t.kernels.PenalizeGroups(
			gradient, x, rows, t.dim/block, block, float32(3*of.n3)*weight, &s.lanes)
		loss = float64(weight) * of.n3 * cubes
		of.n3 = 0
	}
	if of == (norms{}) {
		return loss
	}
	// Padding columns are 0 and stay so.
	l2Slope, n3Slope := float32(2*of.l2)*weight, float32(3*of.n3)*weight
	squares, cubes := t.kernels.Penalize(
		first(gradient, rows), first(x, rows), l2Slope, n3Slope, &s.lanes)
	return loss + float64(weight)*(of.l2*squares+of.n3*cubes)
}

func (t *trainer) penalizeAnchors(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	if t.moves < 0 {
		return t.penalizeEntities(s, forward, u, u.gradients.anchors, a.anchors, weight)
	}
	moved, gradient := s.rows, s.gradQueries
	copy(moved.Data, first(a.anchors, a.count))
	t.kernels.ScaleAdd(first(moved, a.count), first(a.relations[0][t.moves], a.count), 1)
	clear(first(gradient, a.count))
	loss := t.penalizeEntities(s, forward, u, gradient, moved, weight)
	for _, to := range []kernel.Table{u.gradients.anchors, u.gradients.relations[0][t.moves]} {
		t.kernels.ScaleAdd(first(to, a.count), first(gradient, a.count), 1)
	}
	return loss
}

func (t *trainer) penalizeTargets(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	return t.penalizeEntities(s, backward, u, u.gradients.targets, a.targets, weight)
}

// penalizeEntities penalizes the entities x at which the paths start in direction d.
func (t *trainer) penalizeEntities(
	s *scratch, d direction, u *unit, gradient, x kernel.Table, weight float32,
) (loss float64) {
	of := t.entityNorms()
	if t.scales.Entities == nil {
		return t.penalizeRows(s, gradient, x, len(u.examples), of, weight)
	}
	for i := range u.examples {
		scaled := weight * t.startScale(d, &u.examples[i])
		loss += t.penalizeRows(s, gradient.From(i), x.From(i), 1, of, scaled)
	}
	return loss
}

// startScale returns the factor of penalties on the entity at which an example starts.
func (t *trainer) startScale(d direction, x *kge.Example) float32 {
	switch {
	case t.scales.Entities == nil:
		return 1
	case d == forward:
		return t.scales.Entities[x.Anchor]
	}
	return t.scales.Entities[x.Target]
}

// hopScale returns the factor of penalties on a relation of an example.
func (t *trainer) hopScale(x *kge.Example, hop int) float32 {
	if t.scales.Relations == nil {
		return 1
	}
	return t.scales.Relations[x.Path[hop]/2]
}

// penalizeHop penalizes the relations of a hop. The weight of shared rows is the sum over the
// paths that share them.
func (t *trainer) penalizeHop(
	s *scratch, u *unit, a *activeUnit, hop int, weight float32,
) (loss float64) {
	of := t.relationNorms()
	for i, table := range t.relations {
		if i == t.moves { // see penalizeAnchors
			continue
		}
		gradient, x := u.gradients.relations[hop][i], a.relations[hop][i]
		if !a.paths.sharesRows && t.scales.Relations == nil {
			loss += t.penalizeRows(s, gradient, x, a.count*table.rows, of, weight)
			continue
		}
		sameSlot := func(path int) bool { return !a.startsSlot(hop, path) } // never without sharing
		a.eachRun(sameSlot, func(path, n int) {
			row := int(a.slots[hop][path].number) * table.rows
			scaled := weight * float32(n) * t.hopScale(&u.examples[path], hop)
			loss += t.penalizeRows(s, gradient.From(row), x.From(row), table.rows, of, scaled)
		})
	}
	return loss
}
