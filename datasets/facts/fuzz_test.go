package facts

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzRead reads any content in any format. An error is one line that begins with the path, and
// facts have labels that a folder can hold.
func FuzzRead(f *testing.F) {
	names := slices.Sorted(maps.Keys(formats))
	for i := range names {
		for _, content := range []string{
			"", "a\tr\tb\n", "a,\"r\",b\n", "\uFEFFhead;relation;tail;weight\na;r;b;1\n",
			`{"head":"a","relation":"r","tail":1}`, `["a","r",null]`, "<x:a> <x:b> \"\\u00e9\"@en .\n",
			"_:a <x:b> <x:c> <x:g> .", "@prefix x: <http://x/> .\nx:a x:b [ x:c (1 2) ] , \"\"\"l\n\"\"\" .",
			"@base <http://x/> .\n<a> a <b\\u0041> ; <c> 'x'^^<d>, 1e3, true .", "PAR1PAR1", "\x1f\x8b",
			"x:a\\_ x:b \"\\", "PREFIX : <http://x/>\n:a :b :c\\~ .",
		} {
			f.Add(uint(i), content)
		}
	}
	f.Fuzz(func(t *testing.T, format uint, content string) {
		path := write(t, "facts", content)
		hung := time.AfterFunc(time.Minute, func() { panic("hangs") })
		defer hung.Stop()
		for _, lenient := range []bool{false, true} {
			o := DefaultOptions()
			o.Format, o.Lenient = names[format%uint(len(names))], lenient
			_, err := Read(path, o, func(f Fact) error {
				for _, label := range []string{f.Head, f.Relation, f.Tail} {
					if label == "" || strings.ContainsAny(label, "\t\r\n\x00") || !utf8.ValidString(label) {
						t.Errorf("label %q", label)
					}
				}
				if !(f.Weight >= 0 && f.Weight <= MaxWeight) {
					t.Errorf("weight %v", f.Weight)
				}
				return nil
			})
			if err != nil && (!strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("error %q: want one line that begins with the path", err)
			}
		}
	})
}
