package facts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/textfile"
)

// readJSONLines reads a value from each line: an object whose keys are the columns, or an array of
// head, relation, tail and maybe other columns. All lines have the same kind of value.
func readJSONLines(r *reader) error {
	start, err := r.peek()
	if err != nil {
		return r.cannotRead(0, err)
	}
	keys, width := r.guessJSON(start)
	t := table{reader: r, width: width}
	all := "" // the kind of all values
	text := textfile.File{Path: r.path, Source: unclosed{r}}
	for content := range text.Lines(maxLine) {
		if r.skipsComment(text.Line, content) {
			continue
		}
		values, object, err := jsonValues(content)
		kind := "array"
		if object != nil {
			kind = "object"
		}
		if err == nil {
			if all = cmp.Or(all, kind); kind != all {
				err = malformed("the line is an %s, but the first is an %s", kind, all)
			}
		}
		if err == nil && object != nil {
			if t.columns == nil {
				if keys == nil { // the first line is too long to guess from
					keys = r.keysOf([]map[string]any{object})
				}
				t.titled, t.width = true, len(keys)
				if err := t.row(text.Line, keys); err != nil {
					return err
				}
			}
			if err := t.lateKeys(object, keys); err != nil {
				return fmt.Errorf("%s: %w", r.at(text.Line), err)
			}
			values = pickKeys(object, keys)
		}
		var cells []string
		if err == nil {
			cells, err = jsonCells(values)
		}
		if err != nil {
			err = r.fail(text.Line, err)
		} else {
			err = t.row(text.Line, cells)
		}
		if err != nil {
			return err
		}
	}
	return text.Err
}

// guessJSON returns the keys of the first objects, or the length of most of the first arrays.
func (r *reader) guessJSON(start []byte) (keys []string, width int) {
	var objects []map[string]any
	var widths []int
	for line := range bytes.Lines(start) {
		values, object, err := jsonValues(line)
		switch {
		case object != nil && widths == nil:
			objects = append(objects, object)
		case err == nil && objects == nil:
			widths = r.addWidth(widths, len(values))
		}
		if len(objects)+len(widths) == sampled {
			break
		}
	}
	if len(objects) > 0 {
		return r.keysOf(objects), 0
	}
	width, _ = mostFrequent(widths)
	return nil, width
}

// keysOf returns the keys of objects and of the option.
func (r *reader) keysOf(objects []map[string]any) []string {
	all := map[string]any{}
	for _, object := range objects {
		maps.Copy(all, object)
	}
	keys := slices.Sorted(maps.Keys(all))
	for _, role := range roles {
		if key := r.Columns[role]; key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for role := head; r.Partial && role <= tail; role++ {
		if r.Columns[roles[role]] == "" && titled(keys, role) < 0 {
			keys = append(keys, roles[role])
		}
	}
	return keys
}

// lateKeys reports keys of an object that are not among those of the first objects. It returns an
// error if one may be the weight.
func (t *table) lateKeys(object map[string]any, keys []string) error {
	var late []string
	for key := range object {
		if !slices.Contains(keys, key) && !slices.Contains(t.report.Other, key) {
			late = append(late, key)
		}
	}
	slices.Sort(late)
	for _, key := range late {
		if !t.Partial && t.columns[weight] < 0 && titled([]string{key}, weight) == 0 {
			return unknownColumns("the key %q appears here first, too late to be the weight: "+
				"name the column, as in weight=%s", key, key)
		}
		t.report.Other = append(t.report.Other, key)
	}
	return nil
}

// jsonValues returns the values of an array, or an object.
func jsonValues(line []byte) (values []any, object map[string]any, err error) {
	if !utf8.Valid(line) {
		return nil, nil, malformed("the line is not valid UTF-8; save the file as UTF-8 text")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, nil, malformed("malformed JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, malformed("more than one JSON value on the line; write one a line")
	}
	switch value := value.(type) {
	case []any:
		return value, nil, nil
	case map[string]any:
		return nil, value, nil
	}
	return nil, nil, malformed("the line is neither an object nor an array")
}

// pickKeys returns the values of keys, nil for those that the object lacks.
func pickKeys(object map[string]any, keys []string) []any {
	values := make([]any, len(keys))
	for i, key := range keys {
		values[i] = object[key]
	}
	return values
}

// jsonCells returns values as texts.
func jsonCells(values []any) ([]string, error) {
	cells := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case string, json.Number, bool:
			cells[i] = fmt.Sprint(v)
		default:
			return nil, malformed("a value is an object or an array; expected a text or a number")
		}
	}
	return cells, nil
}
