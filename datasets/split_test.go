package datasets

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// labelled returns triples as labels, which do not depend on the numbering.
func labelled(g *Graph, triples []Triple) [][3]string {
	var named [][3]string
	for _, t := range triples {
		named = append(named, [3]string{g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail]})
	}
	return named
}

// unsplitWorld returns the training triples of the graph world alone.
func unsplitWorld() *Graph {
	g := World()
	g.Valid, g.Test = nil, nil
	return g
}

func TestSplitTriplesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.Valid, g.Test = nil, nil
		settings := SplitSettings{
			Valid: rapid.Float64Range(0, 0.49).Draw(t, "valid"),
			Test:  rapid.Float64Range(0, 0.49).Draw(t, "test"),
			Seed:  rapid.Uint64().Draw(t, "seed"),

			AllowLeakage: rapid.Bool().Draw(t, "allow leakage"),
		}
		divided, report, err := SplitTriples(g, settings)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(labelled(divided, divided.Train), labelled(divided, divided.Valid),
			labelled(divided, divided.Test))
		seen := make(map[[3]string]bool)
		for _, triple := range all {
			if seen[triple] {
				t.Fatalf("%v occurs twice", triple)
			}
			seen[triple] = true
		}
		for _, triple := range labelled(g, g.Train) {
			if !seen[triple] {
				t.Fatalf("%v is lost", triple)
			}
		}
		if len(g.Train)-report.Duplicates != len(all) {
			t.Fatalf("%d triples with %d duplicates become %d", len(g.Train), report.Duplicates, len(all))
		}
		s := Describe(divided)
		if s.EntitiesNotInTrain+s.RelationsNotInTrain+s.Valid.Unseen+s.Test.Unseen != 0 {
			t.Fatalf("something is not in train: %+v", s)
		}
		if len(divided.Valid) > report.WantedValid || len(divided.Test) > report.WantedTest {
			t.Fatalf("held out %d and %d, more than the wanted %+v", len(divided.Valid), len(divided.Test),
				report)
		}
		if !settings.AllowLeakage {
			checkTogether(t, divided, divided.Train, divided.Valid, divided.Test)
		}
		// A split is smaller than wanted only if no other triple can leave train.
		if (len(divided.Valid) < report.WantedValid || len(divided.Test) < report.WantedTest) &&
			report.RelatedRelations == 0 {
			for i := range divided.Train {
				rest := &Graph{Entities: divided.Entities, Relations: divided.Relations,
					Train: slices.Delete(slices.Clone(divided.Train), i, i+1)}
				if r := Describe(rest); r.EntitiesNotInTrain+r.RelationsNotInTrain == 0 {
					t.Fatalf("%v could be held out as well", divided.Train[i])
				}
			}
		}
		alone := settings
		alone.AllowLeakage = true
		if other, _, err := SplitTriples(g, alone); report.RelatedRelations == 0 &&
			(err != nil || other.Fingerprint() != divided.Fingerprint()) {
			t.Fatalf("without related relations the splits differ (%v)", err)
		}
		again, _, err := SplitTriples(g, settings)
		if err != nil || again.Fingerprint() != divided.Fingerprint() {
			t.Fatalf("the same seed gives other splits (%v)", err)
		}
	})
}

// TestResplitProperties checks that Resplit keeps the triples and the test split, and holds out as
// many validation triples as before if train allows it.
func TestResplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		number := rapid.Uint64().Draw(t, "number")
		divided := g.Resplit(number)
		both := slices.Concat(g.Train, g.Valid)
		all := pick(both, distinct(both, len(g.Entities)))
		got := slices.Concat(divided.Train, divided.Valid)
		if n := len(distinct(got, len(g.Entities))); len(got) != len(all) || n != len(all) {
			t.Fatalf("%d triples became %d, %d of them distinct", len(all), len(got), n)
		}
		for _, triple := range got {
			if !slices.Contains(all, triple) {
				t.Fatalf("%v was in neither part", triple)
			}
		}
		if !slices.Equal(divided.Test, g.Test) || !slices.Equal(divided.Entities, g.Entities) ||
			!slices.Equal(divided.Relations, g.Relations) {
			t.Fatal("the test, or the labels, are others")
		}
		rest := countOf(g, divided.Train)
		for _, triple := range all {
			if rest.entities[triple.Head] == 0 || rest.entities[triple.Tail] == 0 ||
				rest.relations[triple.Relation] == 0 {
				t.Fatalf("train lacks something of %v", triple)
			}
		}
		checkTogether(t, g, divided.Train, divided.Valid)
		if wanted := len(all) - len(distinct(g.Train, len(g.Entities))); len(divided.Valid) > wanted {
			t.Fatalf("%d validation triples of %d", len(divided.Valid), wanted)
		} else if len(divided.Valid) < wanted && len(Related(&Graph{
			Entities: g.Entities, Relations: g.Relations, Train: all,
		})) == 0 && slices.ContainsFunc(divided.Train, func(triple Triple) bool {
			return rest.remove([]Triple{triple}, slices.Values([]int32{0}))
		}) {
			t.Fatalf("%d validation triples of %d, and more could be held out", len(divided.Valid), wanted)
		}
		if again := g.Resplit(number); again.Fingerprint() != divided.Fingerprint() {
			t.Fatal("the same number gives another split")
		}
	})
}

// checkTogether fails if facts that imply each other by the related relations of all splits are in
// different splits.
func checkTogether(t *rapid.T, g *Graph, splits ...[]Triple) {
	whole := &Graph{
		Entities: g.Entities, Relations: g.Relations, Train: slices.Concat(splits...),
	}
	for _, r := range Related(whole) {
		for i, split := range splits {
			for _, other := range slices.Concat(slices.Delete(slices.Clone(splits), i, i+1)...) {
				for _, fact := range split {
					implied := Triple{fact.Head, r.Partner, fact.Tail}
					if r.Mirrored {
						implied.Head, implied.Tail = fact.Tail, fact.Head
					}
					if fact.Relation == r.Relation && implied == other && fact != other {
						t.Fatalf("%v and %v are in different splits", fact, other)
					}
				}
			}
		}
	}
}

func TestSplitTriplesDependsOnTheSeed(t *testing.T) {
	split := func(seed uint64) (test [][3]string) {
		g, report, err := SplitTriples(unsplitWorld(), SplitSettings{Valid: 0.1, Test: 0.1, Seed: seed})
		want := SplitReport{WantedValid: 187, WantedTest: 187, RelatedRelations: 2, Together: 976}
		if err != nil || report != want {
			t.Fatalf("%+v, %v", report, err)
		}
		return labelled(g, g.Test)
	}
	if cmp.Equal(split(1), split(2)) {
		t.Error("another seed gives the same test split")
	}
}

func TestSplitTriplesRefusesShares(t *testing.T) {
	for _, c := range [][2]float64{{-0.1, 0.1}, {0.1, 1}, {0.5, 0.5}, {math.NaN(), 0.1},
		{0.1, math.Inf(1)}} {
		_, _, err := SplitTriples(unsplitWorld(), SplitSettings{Valid: c[0], Test: c[1]})
		checkError(t, err, "below 1")
	}
}

// TestWriteFolderIsReadBack writes a graph into a new folder, and another in its place.
func TestWriteFolderIsReadBack(t *testing.T) {
	divided, _, err := SplitTriples(unsplitWorld(), DefaultSplit())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new", "world")
	other := &Graph{Entities: []string{"a"}, Relations: []string{"r"}, Train: []Triple{{0, 0, 0}}}
	for _, g := range []*Graph{divided, other} {
		if err := WriteFolder(g, dir); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadFolder(dir); err != nil || back.Fingerprint() != g.Fingerprint() {
			t.Errorf("another graph is read: %v", err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
			t.Errorf("the folder holds %v (%v), want three files", files, err)
		}
	}
}

func TestWriteFolderRefusesLabelsThatCannotBeReadBack(t *testing.T) {
	for _, label := range []string{"", "a\tb", "a\n", "a\r", "\x00", "\uFEFFa", "\xff"} {
		g := &Graph{Entities: []string{label}, Relations: []string{"r"}, Train: []Triple{{0, 0, 0}}}
		if err := WriteFolder(g, t.TempDir()); err == nil {
			t.Errorf("the label %q is written", label)
		}
	}
}

// TestResplitKeepsTheScaleOfWeights: a validation triple that becomes training has the mean weight.
func TestResplitKeepsTheScaleOfWeights(t *testing.T) {
	g := World()
	g.Weights = slices.Repeat([]float32{500}, len(g.Train))
	divided := g.Resplit(1)
	if len(divided.Weights) != len(divided.Train) {
		t.Fatalf("%d weights of %d triples", len(divided.Weights), len(divided.Train))
	}
	for i, w := range divided.Weights {
		if w != 500 {
			t.Fatalf("weight %d is %v", i, w)
		}
	}
}

// TestSplitRefuses checks settings and weights from which no training can come.
func TestSplitRefuses(t *testing.T) {
	s := DefaultSplit()
	s.By = "tiem"
	if _, _, err := SplitTriples(unsplitWorld(), s); err == nil || !strings.Contains(err.Error(), "did you mean time") {
		t.Errorf("error %v", err)
	}
	_, _, err := SplitTriples(World(), DefaultSplit())
	checkError(t, err, "split graph world: it has 243 valid and 243 test triples", "add them to train")
	s.By = ByTime
	_, _, err = SplitTriples(unsplitWorld(), s)
	checkError(t, err, "split graph world: its facts have no times")
	g := unsplitWorld()
	g.Weights = make([]float32, len(g.Train))
	if _, _, err := SplitTriples(g, DefaultSplit()); err == nil || !strings.Contains(err.Error(), "weight 0") {
		t.Errorf("error %v", err)
	}
	g.Weights = g.Weights[:2]
	if _, _, err := SplitTriples(g, DefaultSplit()); err == nil || !strings.Contains(err.Error(), "give one for each") {
		t.Errorf("two weights: error %v", err)
	}
	if _, _, err := Import(nil, DefaultImport()); err == nil || !strings.Contains(err.Error(), "no files") {
		t.Errorf("error %v", err)
	}
}
