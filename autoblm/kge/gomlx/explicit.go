package gomlx

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// isExplicit reports whether the package's own graphs, which have explicit gradients, can do a
// training. They have structures, blocks or cores, on triples of equal weight, with a softmax over all
// entities.
func isExplicit(d *kge.Data, s kge.Settings, members []kge.Member) bool {
	lacks := !d.BothDirections || s.Negatives > 0 ||
		s.Candidates(len(d.Entities)) < len(d.Entities) || s.AnswersPerQuery > 0 || s.Buckets > 1 ||
		s.HasTeacher() || s.RelationRate > 0 || s.Frequency > 0 || s.Loss == kge.BCE ||
		s.Encoder != kge.NoEncoder || d.Weighted
	return !lacks && !slices.ContainsFunc(members, func(m kge.Member) bool {
		return !isExplicitForm(s.FormOf(m))
	})
}

func isExplicitForm(f form.Form) bool {
	return f.HasStructure() || f.BlockSize() > 0 || f.Partitions() > 0
}
