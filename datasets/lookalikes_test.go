package datasets

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLookAlikes checks the warning about labels that only look different to a program, and that
// splitting can merge them.
func TestLookAlikes(t *testing.T) {
	const plain = "Oslo\tin\tNorway\nBergen\tin\tNorway\nMalmö\tin\tSweden\n"
	for other, want := range map[string][]string{
		"Oslo \tnear\tBergen\n": {`1 entity label with a look-alike, such as "Oslo " and "Oslo"`},
		"Oslo\u00a0\tin \tNor\u200bway\n": {
			`2 entity labels with a look-alike`, `1 relation label with a look-alike`,
		},
		"Malmo\u0308\tnear\tOslo\n":                    {`such as "Malmo\u0308" and "Malm\u00f6"`},
		"New York\tnear\tOslo\n":                       nil,
		"می\u200cخواهم\tnear\tمیخواهم\n":               nil, // the joiner can be seen
		"👩\u200d🚀\tnear\t👩🚀\n":                         nil,
		" Paris\tnear\tOslo\n":                         nil, // there is no other
		"Os\u200dlo\tnear\tÅl\n":                       {"Os"},
		"日本\u3000東京\tnear\tA\u030al\nÅl\tin\tNorway\n": {`"A\u030al" and "\u00c5l"`},
	} {
		dir := writeFiles(t, map[string]string{"facts.txt": plain + other})
		g, _, err := Import([]string{dir + "/facts.txt"}, ImportSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Warnings(); !slices.EqualFunc(got, want, strings.Contains) {
			t.Errorf("%q: got %q, want %q", other, got, want)
		}
		divided, report, err := SplitTriples(g, SplitSettings{Normalize: true})
		if err != nil || divided.Warnings() != nil {
			t.Errorf("%q, normalized: %v, %q", other, err, divided.Warnings())
		}
		if want != nil && report.Normalized == 0 {
			t.Errorf("%q: no label is normalized", other)
		}
	}
}

// TestNormalLabels checks that a normal label is normal and not empty.
func TestNormalLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringOfN(rapid.SampledFrom([]rune(
			"aé e\u0301\u0308o\u200b\u200c\u200dم日\u00a0\u202f\u00ad\u2060 ")), 1, 8, -1).Draw(t, "label")
		normal := NormalLabel(label)
		if normal == "" || NormalLabel(normal) != normal {
			t.Fatalf("%+q becomes %+q, which becomes %+q", label, normal, NormalLabel(normal))
		}
	})
}

func BenchmarkLookAlikes(b *testing.B) {
	g := &Graph{Entities: make([]string, 1_000_000)}
	for i := range g.Entities {
		g.Entities[i] = "http://example.org/entity/" + strings.Repeat("x", i%9)
	}
	for b.Loop() {
		g.lookAlike()
	}
}
