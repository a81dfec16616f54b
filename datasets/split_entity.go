package datasets

import "math/rand/v2"

// byEntity draws entities for test and then for valid, and puts all their triples there. Triples
// that imply each other have the same entities, so they stay together.
func (s *splitting) byEntity() {
	about := triplesAbout(s.triples, len(s.graph.Entities))
	left := countOf(s.graph, s.triples)
	held := make([]bool, len(s.graph.Entities))
	order := rand.New(rand.NewPCG(s.Seed, 0)).Perm(len(about))
	for _, to := range []struct {
		place  uint8
		wanted int
	}{{inTest, s.report.WantedTest}, {inValid, s.report.WantedValid}} {
		count := 0
		for _, e := range order {
			var taken []int32
			for _, i := range about[e] {
				if s.place[i] == inTrain {
					taken = append(taken, i)
				}
			}
			if held[e] || len(taken) == 0 || count+len(taken) > to.wanted {
				continue
			}
			if held[e] = true; !left.removeHeld(s.triples, taken, held) {
				held[e] = false
				continue
			}
			count += len(taken)
			for _, i := range taken {
				s.place[i] = to.place
			}
		}
	}
}

// removeHeld removes triples. It does nothing and returns false if a relation or an entity that is
// not held out would have no triple left.
func (c counts) removeHeld(triples []Triple, taken []int32, held []bool) bool {
	for _, i := range taken {
		c.add(triples[i], -1)
	}
	for _, i := range taken {
		t := triples[i]
		if c.relations[t.Relation] == 0 || c.entities[t.Head] == 0 && !held[t.Head] ||
			c.entities[t.Tail] == 0 && !held[t.Tail] {
			for _, i := range taken {
				c.add(triples[i], 1)
			}
			return false
		}
	}
	return true
}

// triplesAbout returns the indices of the triples of each entity.
func triplesAbout(triples []Triple, entities int) [][]int32 {
	about := make([][]int32, entities)
	for i, t := range triples {
		about[t.Head] = append(about[t.Head], int32(i))
		if t.Tail != t.Head {
			about[t.Tail] = append(about[t.Tail], int32(i))
		}
	}
	return about
}
