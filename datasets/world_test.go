package datasets

import (
	"slices"
	"strings"
	"testing"
)

func TestWorldPatterns(t *testing.T) {
	g := World()
	want := map[string]RelationPattern{
		"borders":       {Pattern: Symmetric},
		"located_in":    {Pattern: AntiSymmetric},
		"capital_of":    {Pattern: General, Inverse: true},
		"has_capital":   {Pattern: General, Inverse: true},
		"speaks":        {Pattern: General},
		"uses_currency": {Pattern: General},
	}
	if len(g.Relations) != len(want) {
		t.Errorf("relations %v, want %d", g.Relations, len(want))
	}
	for r, got := range Patterns(g) {
		if name := g.Relations[r]; got != want[name] {
			t.Errorf("%s is %v (inverse %v), want %v (inverse %v)", name, got.Pattern, got.Inverse,
				want[name].Pattern, want[name].Inverse)
		}
	}
}

func TestWorldSplits(t *testing.T) {
	g := World()
	s := Describe(g)
	if s.EntitiesNotInTrain+s.RelationsNotInTrain+s.Train.Duplicates+s.Valid.Duplicates+
		s.Test.Duplicates+s.InSeveralSplits != 0 {
		t.Errorf("%+v: want everything in train and no duplicates", s)
	}
	if s.Valid.Triples < 200 || s.Test.Triples < 200 {
		t.Errorf("%d valid and %d test triples, want at least 200 each", s.Valid.Triples, s.Test.Triples)
	}
	heldOut := []string{"borders", "located_in", "speaks", "uses_currency"}
	for _, split := range [][]Triple{g.Valid, g.Test} {
		byRelation := make(map[string]int)
		for _, t := range split {
			byRelation[g.Relations[t.Relation]]++
		}
		for _, relation := range heldOut {
			all := 0
			for _, triple := range slices.Concat(g.Train, g.Valid, g.Test) {
				if g.Relations[triple.Relation] == relation {
					all++
				}
			}
			if share := float64(byRelation[relation]) / float64(all); share < 0.12 || share > 0.15 {
				t.Errorf("%s: %.3f of the facts are held out, want 0.12 to 0.15", relation, share)
			}
		}
		if len(byRelation) != len(heldOut) {
			t.Errorf("held out are facts of %v, want %v only", byRelation, heldOut)
		}
	}
}

func TestWorldKeepsReversedPairsTogether(t *testing.T) {
	g := World()
	reverseOf := map[string]string{"borders": "borders", "capital_of": "has_capital",
		"has_capital": "capital_of"}
	type fact [3]string
	splitOf := make(map[fact]string)
	for _, name := range splitNames {
		triples, err := g.Split(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, triple := range labelled(g, triples) {
			splitOf[triple] = name
		}
	}
	for f, split := range splitOf {
		if reverse := reverseOf[f[1]]; reverse != "" {
			if other := splitOf[fact{f[2], reverse, f[0]}]; other != split {
				t.Errorf("%v is in %s, its reverse in %q", f, split, other)
			}
			continue
		}
		for _, relation := range g.Relations {
			if _, reversed := splitOf[fact{f[2], relation, f[0]}]; reversed {
				t.Errorf("%v is reversed in %s, which the split does not know of", f, relation)
			}
		}
	}
}

// Every label stands for one thing, whose kind follows from where it occurs.
func TestWorldLabelsAreUniqueOverKinds(t *testing.T) {
	g := World()
	kinds := make(map[string]string)
	is := func(label, kind string) {
		if before := kinds[label]; before != "" && before != kind {
			t.Errorf("%q is a %s and a %s", label, before, kind)
		}
		kinds[label] = kind
	}
	areas := make(map[string]bool) // regions and subregions
	for _, f := range labelled(g, slices.Concat(g.Train, g.Valid, g.Test)) {
		switch f[1] {
		case "borders":
			is(f[0], "country")
			is(f[2], "country")
		case "capital_of":
			is(f[0], "city")
			is(f[2], "country")
		case "speaks":
			is(f[0], "country")
			is(f[2], "language")
		case "uses_currency":
			is(f[0], "country")
			is(f[2], "currency")
		case "located_in":
			areas[f[2]] = true
		}
	}
	for area := range areas {
		is(area, "area")
	}
	for _, f := range labelled(g, slices.Concat(g.Train, g.Valid, g.Test)) {
		if f[1] == "located_in" && !areas[f[0]] {
			is(f[0], "country")
		}
	}
	count := make(map[string]int)
	for _, kind := range kinds {
		count[kind]++
	}
	// 250 entries of the source, 6 regions (Antarctic has no subregions) and 24 subregions.
	if count["country"] != 250 || count["area"] != 30 {
		t.Errorf("%d countries and %d regions and subregions, want 250 and 30", count["country"],
			count["area"])
	}
	for _, label := range g.Entities {
		if strings.TrimSpace(label) != label {
			t.Errorf("label %q has spaces around it", label)
		}
	}
}

func TestWorldGivesAGraphOfItsOwn(t *testing.T) {
	first := World()
	print := first.Fingerprint()
	first.Entities[0], first.Train[0] = "changed", Triple{1, 1, 1}
	if World().Fingerprint() != print {
		t.Error("a change of one graph changes the next")
	}
	opened, err := Open("world")
	if err != nil || opened.Fingerprint() != print || opened.Name != "world" {
		t.Errorf("Open(world) gives another graph (%v)", err)
	}
}
