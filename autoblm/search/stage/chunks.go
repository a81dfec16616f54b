package stage

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// chunkOrder returns the numbers of chunks in the order in which the next round may take them.
// Several numbers compete by successive halving: the budget has as many parts as it takes to halve
// them to one, and the better half by the best score goes on to the next part. Those that go on come
// first and take turns. The others follow, in case all structures of the first were tried. A number
// without a structure comes before all with one, so that a small budget tries it too.
func chunkOrder(s *search.State) []int {
	ks := s.Settings.Ks()
	if len(ks) == 1 {
		return ks
	}
	proposed := search.Proposed(s.Trials)
	count := map[int]int{}
	for _, t := range proposed {
		count[t.Structure.K()]++
	}
	best := map[int]float64{}
	scored := halvingOf(s).extrapolate(slices.Concat(searchedBaselines(s), proposed), s.Trials)
	for _, t := range scored {
		k := t.Structure.K()
		best[k] = max(best[k], t.ScoreOrZero())
	}
	tried := func(k int) int { return min(count[k], 1) }
	slices.SortStableFunc(ks, func(a, b int) int {
		return cmp.Or(cmp.Compare(tried(a), tried(b)), cmp.Compare(best[b], best[a]))
	})
	parts := 1 + bits.Len(uint(len(ks)-1))
	part := min(parts-1, len(proposed)*parts/s.Settings.Budget)
	going := ks
	for range part {
		going = going[:(len(going)+1)/2]
	}
	slices.SortStableFunc(going, func(a, b int) int { return cmp.Compare(count[a], count[b]) })
	return ks
}

// nextRound returns the number of the next round of structures with k chunks.
func nextRound(s *search.State, k int) int {
	if len(s.Settings.FewerK) == 0 {
		return len(s.Rounds) + 1
	}
	rounds := map[int]bool{}
	for _, t := range search.Proposed(s.Trials) {
		if t.Structure.K() == k {
			rounds[t.Round] = true
		}
	}
	return len(rounds) + 1
}

// withChunks returns the trials whose structures can be written with k chunks, with structures
// written so: a strategy for more chunks builds on the best structures with fewer.
func withChunks(trials []task.Trial, k int) (all []task.Trial) {
	for _, t := range trials {
		if own := t.Structure.K(); own > 0 && k%own == 0 {
			if message := t.Recipe.Training.Message; message.K() == own {
				t.Recipe.Training.Message = message.Split(k / own)
			}
			t.Structure = t.Structure.Split(k / own)
			all = append(all, t)
		}
	}
	return all
}
