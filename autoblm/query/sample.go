package query

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Sample says which queries to draw.
type Sample struct {
	Split Split
	Hops  int
	// Count is how many; 0 stands for as many training queries as there are pairs
	// of an entity and a relation that leaves it, and 5,000 for valid and test. Of
	// one hop all queries are taken, as these are the edges of the graph.
	Count int
	// Seed decides which.
	Seed uint64
}

var errNoneToDraw = errors.New("no such path has an end point that was not known before")

// usualCount is how many queries are drawn for valid and for test.
const usualCount = 5000

// mostHops is how long paths may be, as the names of their files have them, and mostCount
// how many may be drawn.
const (
	mostHops  = 99
	mostCount = 10000000
)

// mostMisses is after how many walks in a row without a new query there are taken
// to be no more.
const mostMisses = 100000

// Sample draws queries in the manner of the released ones (Ren et al., 2020) and
// puts them into the data, in place of those that were there. A walk starts at a
// random entity of the graph and takes a random relation, but for the reverse of
// the last one, and a random target of it, as often as there are hops. Its path is
// kept when it is new and, for valid and test, when some end point was out of
// reach in the graph before.
//
// It returns how many there are, fewer than Count where no more were found.
func (d *Data) Sample(ctx context.Context, s Sample) (int, error) {
	switch {
	case s.Hops < 1 || s.Hops > mostHops:
		return 0, fmt.Errorf("a path of %d hops: there may be 1 to %d", s.Hops, mostHops)
	case s.Count < 0 || s.Count > mostCount:
		return 0, fmt.Errorf("count is %d: it must be from 0 to %d", s.Count, mostCount)
	}
	queries, err := d.drawing(s).draw(ctx)
	if err != nil {
		return 0, err
	}
	if len(queries) == 0 {
		return 0, fmt.Errorf("%s has no %v queries of %d hops: %w", d.Name, s.Split, s.Hops, errNoneToDraw)
	}
	d.put(s.Split, s.Hops, queries)
	return len(queries), nil
}

// drawing is queries on their way.
type drawing struct {
	hops, count   int
	graph, before *edges // before is nil for training queries
	rng           *rand.Rand
	walker        *walker
}

func (d *Data) drawing(s Sample) *drawing {
	w := &drawing{
		hops: s.Hops, count: s.Count, graph: d.graphs[s.Split],
		rng:    rand.New(rand.NewPCG(s.Seed, uint64(s.Split)<<32|uint64(s.Hops))),
		walker: newWalker(len(d.Entities)),
	}
	if s.Split != InTrain {
		w.before = d.graphs[s.Split-1]
	}
	if s.Count == 0 {
		w.count = usualCount
		if s.Split == InTrain {
			w.count = len(w.graph.relations)
		}
	}
	return w
}

func (w *drawing) draw(ctx context.Context) (queries []Query, err error) {
	if w.hops == 1 {
		return w.pairs(ctx)
	}
	starts := w.starts()
	seen := map[string]bool{}
	for misses := 0; len(queries) < w.count && misses < mostMisses; misses++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q, done := w.walk(starts[w.rng.IntN(len(starts))])
		key := q.key()
		if !done || seen[key] {
			continue
		}
		seen[key] = true
		if w.answer(&q) {
			queries, misses = append(queries, q), -1
		}
	}
	return queries, nil
}

// pairs are all queries of one hop.
func (w *drawing) pairs(ctx context.Context) (queries []Query, err error) {
	for e := range int32(len(w.graph.pairs) - 1) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, r := range w.graph.leaving(e) {
			q := Query{Anchor: e, Relations: []int32{r}}
			if w.answer(&q) {
				queries = append(queries, q)
			}
		}
	}
	return queries, nil
}

// starts are the entities that a walk can start at.
func (w *drawing) starts() (all []int32) {
	for e := range int32(len(w.graph.pairs) - 1) {
		if len(w.graph.leaving(e)) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// walk takes random steps, unless it gets to where the only way leads back.
func (w *drawing) walk(anchor int32) (q Query, done bool) {
	q.Anchor = anchor
	at, back := anchor, int32(-1)
	for range w.hops {
		leaving := w.graph.leaving(at)
		choices := len(leaving)
		avoided, avoid := slices.BinarySearch(leaving, back)
		if avoid {
			choices--
		}
		if choices == 0 {
			return q, false
		}
		pick := w.rng.IntN(choices)
		if avoid && pick >= avoided {
			pick++
		}
		targets := w.graph.targetsAt(w.graph.pairs[at] + int32(pick))
		at, back = targets[w.rng.IntN(len(targets))], reverse(leaving[pick])
		q.Relations = append(q.Relations, leaving[pick])
	}
	return q, true
}

// key is the path in a form that can be compared.
func (q Query) key() string {
	key := binary.LittleEndian.AppendUint32(nil, uint32(q.Anchor))
	for _, r := range q.Relations {
		key = binary.LittleEndian.AppendUint32(key, uint32(r))
	}
	return string(key)
}

// answer finds the answers of a query, and tells whether there is something to
// learn or to rank.
func (w *drawing) answer(q *Query) bool {
	q.Hard = w.walker.endPoints(w.graph, q.Anchor, q.Relations)
	if w.before == nil {
		return true
	}
	q.Easy = w.walker.endPoints(w.before, q.Anchor, q.Relations)
	q.Hard = slices.DeleteFunc(q.Hard, func(e int32) bool {
		_, easy := slices.BinarySearch(q.Easy, e)
		return easy
	})
	return len(q.Hard) > 0
}

// Prepare is [Open], and draws the queries of the given lengths that are missing, each with
// seed 1. So data without such queries, as a graph or a release that lacks some, can be
// trained on and ranked; the queries are the same each time. Test queries may stay missing
// where no path has a hard answer. note, when set, is told what was drawn.
func Prepare(ctx context.Context, name string, note func(text string), hops ...int) (*Data, error) {
	d, err := Open(name, hops...)
	if err != nil {
		return nil, err
	}
	for split := range Split(splits) {
		for _, h := range hops {
			if d.Queries(split, h) != nil {
				continue
			}
			n, err := d.Sample(ctx, Sample{Split: split, Hops: h, Seed: 1})
			if errors.Is(err, errNoneToDraw) && split == InTest {
				continue
			}
			if err != nil {
				return nil, err
			}
			if note != nil {
				note(fmt.Sprintf("%s has no %v queries of %s, so %s were drawn", d.Name, split, format.Count(h, "hop"), format.Whole(n)))
			}
		}
	}
	return d, nil
}
