package completion

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// degreeBands are the lowest degrees of the parts of [ByDegree].
var degreeBands = []int{0, 1, 10, 100, 300, 1000}

// DegreePart is the evaluation of queries about entities of similar degree.
type DegreePart struct {
	Degree string `json:"degree"` // such as 10–99
	// TailQueries (h, r, ?) have a head of this degree, HeadQueries (?, r, t) a tail.
	TailQueries int          `json:"tail_queries"`
	HeadQueries int          `json:"head_queries"`
	Tail        eval.Metrics `json:"tail"`
	Head        eval.Metrics `json:"head"`
}

// ByDegree evaluates queries separately by the degree of the entity that they are about: the number
// of training triples that it is the tail of. Entities of high degree are hubs. Bands without
// queries are left out.
func ByDegree(
	g *datasets.Graph, triples []datasets.Triple, ranks []eval.Ranked, ties eval.Ties,
) (parts []DegreePart) {
	degrees := make([]int, len(g.Entities))
	for _, t := range g.Train {
		degrees[t.Tail]++
	}
	bands := make([]DegreePart, len(degreeBands))
	band := func(entity int32) *DegreePart {
		i, found := slices.BinarySearch(degreeBands, degrees[entity])
		if !found {
			i--
		}
		return &bands[i]
	}
	for i, t := range triples {
		tail, head := band(t.Head), band(t.Tail)
		tail.TailQueries++
		tail.Tail.Add(ranks[i].Tail.Under(ties), 1)
		head.HeadQueries++
		head.Head.Add(ranks[i].Head.Under(ties), 1)
	}
	for i, b := range bands {
		if b.TailQueries+b.HeadQueries == 0 {
			continue
		}
		b.Degree = bandName(i)
		b.Tail, b.Head = b.Tail.Over(float64(b.TailQueries)), b.Head.Over(float64(b.HeadQueries))
		parts = append(parts, b)
	}
	return parts
}

func bandName(i int) string {
	switch {
	case i == len(degreeBands)-1:
		return fmt.Sprintf("≥ %d", degreeBands[i])
	case degreeBands[i+1] == degreeBands[i]+1:
		return fmt.Sprint(degreeBands[i])
	}
	return fmt.Sprintf("%d–%d", degreeBands[i], degreeBands[i+1]-1)
}
