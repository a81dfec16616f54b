package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// penalizeRows returns the penalty of rows and adds its gradient. weight is the weight of an
// example, or of its reverse, in the batch.
func (t *trainer) penalizeRows(
	s *scratch, gradient, x kernel.Table, rows int, l2 float64, weight float32,
) (loss float64) {
	n3 := t.member.N3
	if t.member.N3Moduli && n3 != 0 {
		slope := float32(3*n3) * weight
		for i := range rows { // all have d columns, as the form has a structure
			g, row := gradient.Row(i)[:t.dim], x.Row(i)[:t.dim]
			loss += float64(weight) * n3 * kernel.PenalizeModuli(g, row, slope)
		}
		n3 = 0
	}
	if l2 == 0 && n3 == 0 {
		return loss
	}
	// Padding columns are 0 and stay so.
	l2Slope, n3Slope := float32(2*l2)*weight, float32(3*n3)*weight
	squares, cubes := t.kernels.Penalize(
		first(gradient, rows), first(x, rows), l2Slope, n3Slope, &s.lanes)
	return loss + float64(weight)*(l2*squares+n3*cubes)
}

func (t *trainer) penalizeAnchors(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	return t.penalizeEntities(s, forward, u, u.gradients.anchors, a.anchors, weight)
}

func (t *trainer) penalizeTargets(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	return t.penalizeEntities(s, backward, u, u.gradients.targets, a.targets, weight)
}

// penalizeEntities penalizes the entities x at which the paths start in direction d.
func (t *trainer) penalizeEntities(
	s *scratch, d direction, u *unit, gradient, x kernel.Table, weight float32,
) (loss float64) {
	l2 := t.member.L2 + t.member.EntityL2
	if t.scales.Entities == nil {
		return t.penalizeRows(s, gradient, x, len(u.examples), l2, weight)
	}
	for i := range u.examples {
		scaled := weight * t.startScale(d, &u.examples[i])
		loss += t.penalizeRows(s, gradient.From(i), x.From(i), 1, l2, scaled)
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
	l2 := t.member.L2 + t.member.RelationL2
	for i, table := range t.relations {
		gradient, x := u.gradients.relations[hop][i], a.relations[hop][i]
		if !a.paths.sharesRows && t.scales.Relations == nil {
			loss += t.penalizeRows(s, gradient, x, a.count*table.rows, l2, weight)
			continue
		}
		sameSlot := func(path int) bool { return !a.startsSlot(hop, path) } // never without sharing
		a.eachRun(sameSlot, func(path, n int) {
			row := int(a.slots[hop][path].number) * table.rows
			scaled := weight * float32(n) * t.hopScale(&u.examples[path], hop)
			loss += t.penalizeRows(s, gradient.From(row), x.From(row), table.rows, l2, scaled)
		})
	}
	return loss
}
