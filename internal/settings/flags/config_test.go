package flags

import (
	"strings"
	"testing"
)

// FuzzParseConfig: no file makes reading it panic. A value that is read has one line, unless the
// file quotes line breaks.
func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{
		"", "# no flags", "dim: 8", "a: [1, 2]\nb: \"x\"", "a: &x 1\nb: *x", "a: !!binary aGk=", "<<: {a: 1}",
		"? [a]\n: b", "a: |\n  x\n  y\n", "%YAML 1.2\n---\na: 1\n", "a: b\n---\n", "\ufeffa: 1", "{", "*a",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		values, err := parseConfig(content)
		if err != nil {
			return
		}
		for name, value := range values {
			if value.line < 1 || value.line > 1+strings.Count(string(content), "\n")+
				strings.Count(string(content), "\r") {
				t.Errorf("%q is in line %d of %q", name, value.line, content)
			}
		}
		if err := values.checkNames("train", nil); (err == nil) != (len(values) == 0) {
			t.Errorf("unknown names give %v", err)
		}
	})
}
