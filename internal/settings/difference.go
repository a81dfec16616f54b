package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference says on what two JSON objects do not agree, as "dim 64 there, 32 here; patience
// not set there, 5 here", and "" where they agree: the order of fields does not matter, and
// one that is null or left out is not set. Of "fingerprint" and "data", which identify data, it
// says only that these differ, and "dataset", a name, does not matter where they do not.
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
		case a[name] == b[name]:
		case name == "fingerprint" || name == "data":
			found = append(found, "the data differ")
		case name == "dataset" && a["fingerprint"] == b["fingerprint"]:
		default:
			found = append(found, fmt.Sprintf("%s %s there, %s here", name, orUnsaid(name, a[name]), orUnsaid(name, b[name])))
		}
	}
	slices.Sort(found)
	return strings.Join(found, "; "), nil
}

// unsaid is what settings are, by the last word of their names, that have a name where
// nothing is said of them.
var unsaid = map[string]string{"precision": "float32"}

func orUnsaid(name, value string) string {
	return cmp.Or(value, unsaid[name[strings.LastIndex(name, " ")+1:]], "not set")
}

// transparent are the levels of an object that say nothing to a reader.
var transparent = []string{"settings", "task_settings"}

// flatten gives each value in a JSON object a name, behind those of the objects around it.
func flatten(text []byte) (map[string]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // seeds do not fit in a float64
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
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
