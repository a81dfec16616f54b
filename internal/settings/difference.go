package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
)

// Difference lists the differences between two JSON objects, such as "dim 64 there, 32 here;
// patience not set there, 5 here". Names have hyphens, as settings have in other messages. The order
// of fields does not matter, and null is like a missing field. Of lists of objects with different
// lengths it lists only the lengths. For "fingerprint", "data" and "teacher", which are digests, it
// lists no values. The name "dataset" does not matter if the fingerprints are
// equal. Control characters are escaped: a damaged file may have any.
func Difference(there, here []byte) (string, error) {
	a, err := flatten(there)
	if err != nil {
		return "", err
	}
	b, err := flatten(here)
	if err != nil {
		return "", err
	}
	names := maps.Clone(a)
	maps.Copy(names, b)
	var found []string
	for name := range names {
		switch {
		case a[name] == b[name] || isOfUnequalLists(name, a, b):
		case name == "fingerprint" || name == "data":
			found = append(found, "the data differ")
		case name == "teacher" || strings.HasSuffix(name, " teacher"):
			found = append(found, "another teacher")
		case name == "dataset" && a["fingerprint"] == b["fingerprint"]:
		default:
			found = append(found, fmt.Sprintf("%s %s there, %s here", strings.ReplaceAll(name, "_", "-"),
				orDefault(name, a[name]), orDefault(name, b[name])))
		}
	}
	slices.Sort(found)
	return format.Escape(strings.Join(found, "; ")), nil
}

// isOfUnequalLists reports whether a name is within a list of objects whose lengths differ.
func isOfUnequalLists(name string, a, b map[string]string) bool {
	for i := range name {
		if list := name[:i]; name[i] == ' ' && a[list] != b[list] {
			return true
		}
	}
	return false
}

// defaults maps the last word of a setting's name to its value if JSON omits it.
var defaults = map[string]string{"precision": "float32"}

func orDefault(name, value string) string {
	return cmp.Or(value, defaults[name[strings.LastIndex(name, " ")+1:]], "not set")
}

// transparent lists the levels of an object that mean nothing to a reader.
var transparent = []string{"settings", "task_settings"}

// flatten maps the names of all values in a JSON object to their texts. A name includes those of
// the enclosing objects. A list of objects is also a value, its length.
func flatten(text []byte) (map[string]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // seeds do not fit in a float64
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	flat := map[string]string{}
	var walk func(name string, value any)
	walk = func(name string, value any) {
		switch value := value.(type) {
		case nil:
		case map[string]any:
			for inner, v := range value {
				if !slices.Contains(transparent, inner) {
					inner = strings.TrimSpace(name + " " + inner)
				} else {
					inner = name
				}
				walk(inner, v)
			}
		case []any:
			if slices.ContainsFunc(value, isObject) {
				flat[name] = fmt.Sprint(len(value))
				for i, v := range value {
					walk(fmt.Sprintf("%s %d", name, i+1), v)
				}
				return
			}
			flat[name] = fmt.Sprint(value)
		default:
			flat[name] = fmt.Sprint(value)
		}
	}
	walk("", object)
	return flat, nil
}

func isObject(value any) bool {
	_, is := value.(map[string]any)
	return is
}
