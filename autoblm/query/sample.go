package query

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Sample describes queries to draw.
type Sample struct {
	Split Split
	Hops  int
	// Count is the number of queries. 0 means 5,000 for valid and test and, for train, the number
	// of pairs of an entity and a relation that leaves it. With one hop Count is ignored: all edges
	// of the graph become queries.
	Count int
	Seed  uint64
}

var errNoneToDraw = errors.New("found no path")

// noneToDraw says which paths were not found, and how to get some.
var noneToDraw = [splits]string{
	InTrain: "without turning back: use shorter paths",
	InValid: "to an end point that only facts of valid reach: add facts to valid",
	InTest:  "to an end point that only facts of test reach: add facts to test",
}

// defaultCount is the number of queries drawn for valid and for test.
const defaultCount = 5000

const (
	maxHops  = 99         // two digits in the names of files
	maxCount = 10_000_000 // of queries to draw
)

// maxMisses is the number of consecutive walks without a new query after which drawing ends.
const maxMisses = 100000

// Sample draws queries as Ren et al. (2020) did, and replaces those of the data. A walk starts at a
// random entity. In each hop it takes a random relation, except for the reverse of the last one,
// and a random target. Its path becomes a query if it is new and, for valid and test, if an end
// point is unreachable in the graph of the previous split.
//
// If the walks find none, or fewer than Count, it adds paths from an enumeration of at most maxSteps
// steps. It returns the number of queries, fewer than Count if no more were found.
func (d *Data) Sample(ctx context.Context, s Sample) (int, error) {
	switch {
	case s.Hops < 1 || s.Hops > maxHops:
		return 0, fmt.Errorf("a path of %d hops: it may have 1 to %d", s.Hops, maxHops)
	case s.Split < InTrain || s.Split >= splits:
		return 0, fmt.Errorf("there is no split %d: use InTrain, InValid or InTest", s.Split)
	case s.Count < 0 || s.Count > maxCount:
		return 0, fmt.Errorf("count is %d: it must be from 0 to %d", s.Count, maxCount)
	}
	sampler := d.sampler(s)
	queries, err := sampler.draw(ctx)
	if err == nil && s.Hops > 1 && (len(queries) == 0 || len(queries) < s.Count) {
		queries, err = sampler.complete(ctx, queries)
	}
	if err != nil {
		return 0, err
	}
	if len(queries) == 0 {
		return 0, fmt.Errorf("%s has no %v queries of %s: %w %s", d.Name, s.Split,
			format.Count(s.Hops, "hop"), errNoneToDraw, noneToDraw[s.Split])
	}
	d.setQueries(s.Split, s.Hops, queries)
	return len(queries), nil
}

// sampler draws queries.
type sampler struct {
	hops, count   int
	graph, before *edges // before belongs to the previous split; nil for train
	rng           *rand.Rand
	walker        *walker
}

func (d *Data) sampler(s Sample) *sampler {
	w := &sampler{
		hops: s.Hops, count: s.Count, graph: d.graphs[s.Split],
		rng:    rand.New(rand.NewPCG(s.Seed, uint64(s.Split)<<32|uint64(s.Hops))),
		walker: newWalker(len(d.Entities)),
	}
	if s.Split != InTrain {
		w.before = d.graphs[s.Split-1]
	}
	if s.Count == 0 {
		w.count = defaultCount
		if s.Split == InTrain {
			w.count = len(w.graph.relations)
		}
	}
	return w
}

func (w *sampler) draw(ctx context.Context) (queries []Query, err error) {
	if w.hops == 1 {
		return w.pairs(ctx)
	}
	starts := w.starts()
	if len(starts) == 0 {
		return nil, nil
	}
	seen := map[string]bool{}
	for misses := 0; len(queries) < w.count && misses < maxMisses; misses++ {
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

// pairs returns all queries of one hop.
func (w *sampler) pairs(ctx context.Context) (queries []Query, err error) {
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

// starts returns the entities at which a walk can start.
func (w *sampler) starts() (all []int32) {
	for e := range int32(len(w.graph.pairs) - 1) {
		if len(w.graph.leaving(e)) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// walk returns the path of a random walk; done is false if it reaches a dead end.
func (w *sampler) walk(anchor int32) (q Query, done bool) {
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

// key returns the path in a comparable form.
func (q Query) key() string {
	key := binary.LittleEndian.AppendUint32(nil, uint32(q.Anchor))
	for _, r := range q.Relations {
		key = binary.LittleEndian.AppendUint32(key, uint32(r))
	}
	return string(key)
}

// answer finds the answers of a query and reports whether it has hard ones.
func (w *sampler) answer(q *Query) bool {
	q.Hard = w.walker.endPoints(w.graph, q.Anchor, q.Relations)
	if w.before == nil {
		return true
	}
	q.Easy = w.walker.endPoints(w.before, q.Anchor, q.Relations)
	q.Hard = slices.DeleteFunc(q.Hard, eval.In(q.Easy))
	return len(q.Hard) > 0
}

// Prepare opens data with [Open] and draws missing queries with the given numbers of hops. The seed
// is 1, so the queries are the same each time. Valid and test queries may stay missing if no path has
// a hard answer. note, when set, receives a message if queries are drawn.
func Prepare(ctx context.Context, name string, note func(text string), hops ...int) (*Data, error) {
	d, err := Open(name, hops...)
	if err != nil {
		return nil, err
	}
	var drawn [splits]int
	var lengths []string
	for split := range Split(splits) {
		for _, h := range hops {
			if d.Queries(split, h) != nil {
				continue
			}
			n, err := d.Sample(ctx, Sample{Split: split, Hops: h, Seed: 1})
			if errors.Is(err, errNoneToDraw) && split != InTrain {
				continue
			}
			if err != nil {
				return nil, err
			}
			drawn[split] += n
			if length := format.Count(h, "hop"); !slices.Contains(lengths, length) {
				lengths = append(lengths, length)
			}
		}
	}
	if note != nil && len(lengths) > 0 {
		note(fmt.Sprintf("drew queries of %s from %s: %s train, %s valid, %s test",
			format.List(lengths, "and"), d.Name, format.Int(drawn[InTrain]), format.Int(drawn[InValid]),
			format.Int(drawn[InTest])))
	}
	return d, nil
}
