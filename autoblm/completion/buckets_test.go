package completion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

// TestVisits checks that each two buckets meet, and that few are loaded for it.
func TestVisits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count, loaded := rapid.IntRange(1, 40).Draw(t, "count"), rapid.IntRange(2, 6).Draw(t, "loaded")
		all := visits(count, loaded, rand.New(rand.NewPCG(1, 1)))
		loads := 0
		for i, now := range all {
			if len(now) > loaded {
				t.Fatalf("%v are loaded", now)
			}
			for _, bucket := range now {
				if i == 0 || !slices.Contains(all[i-1], bucket) {
					loads++
				}
			}
		}
		for _, row := range firstVisits(count, all) {
			if slices.Contains(row, -1) {
				t.Fatalf("%v do not meet all", row)
			}
		}
		// A load meets at most loaded-1 others. A round that begins wastes as many.
		pairs, rounds := count*(count-1)/2, (count+loaded-2)/(loaded-1)
		if most := (pairs+loaded-2)/(loaded-1) + rounds*loaded + loaded; loads > most {
			t.Fatalf("%d loads, want at most %d", loads, most)
		}
	})
}

// TestBucketBatches checks that an epoch has each triple once, in batches whose entities are loaded.
func TestBucketBatches(t *testing.T) {
	g := datasets.World()
	s := kge.DefaultSettings()
	s.Batch, s.Buckets, s.SampledSoftmax = 7, 6, 5
	batches := Data(g).Batches(s, 2)
	seen := map[datasets.Triple]int{}
	for i := range batches.Count {
		isLoaded := func(entity int32) bool {
			return slices.ContainsFunc(batches.Loaded(i), func(s kge.Span) bool {
				return s.Start <= int(entity) && int(entity) < s.End
			})
		}
		batch := batches.Make(i, nil)
		if len(batch) == 0 || len(batch) > s.Batch {
			t.Errorf("a batch of %d", len(batch))
		}
		for _, x := range batch {
			seen[datasets.Triple{Head: x.Anchor, Relation: x.Path[0] / 2, Tail: x.Target}]++
			if !isLoaded(x.Anchor) || !isLoaded(x.Target) {
				t.Fatalf("%+v is not in %v", x, batches.Loaded(i))
			}
		}
	}
	want := map[datasets.Triple]int{}
	for _, triple := range g.Train {
		want[triple]++
	}
	for triple, n := range want {
		if seen[triple] != n {
			t.Fatalf("%v trains %d times, want %d", triple, seen[triple], n)
		}
	}
	if s.MaxSteps = 3; Data(g).Batches(s, 2).Count != 3 {
		t.Error("the number of steps is not limited")
	}
}

// TestBucketsLearn checks that a model that trains in buckets is about as good as one that does not.
func TestBucketsLearn(t *testing.T) {
	g, err := datasets.ReadFolder(realdata.Folder(t, "umls"))
	if err != nil {
		t.Fatal(err)
	}
	mrr := func(buckets int) float64 {
		s := kge.DefaultSettings()
		s.Dim, s.Epochs, s.Batch, s.SampledSoftmax, s.Buckets = 32, 30, 128, 40, buckets
		m := kge.DefaultMember(structure.MustParse("complex"))
		m.LearningRate = 0.1
		report, err := kge.Train(t.Context(), cpu.New(1), kge.Job{
			Data: Data(g), Settings: s, Members: []kge.Member{m},
		})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Evaluate(t.Context(), cpu.New(1), report.Results[0].Model, g, "test",
			eval.Pessimistic)
		if err != nil {
			t.Fatal(err)
		}
		return e.Both.MRR
	}
	without, with := mrr(0), mrr(8)
	t.Logf("MRR %.3f without buckets, %.3f with", without, with)
	if without < 0.7 || math.Abs(with-without) > 0.05 {
		t.Errorf("MRR %.3f with buckets, %.3f without", with, without)
	}
}
