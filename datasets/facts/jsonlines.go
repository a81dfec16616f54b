package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/textfile"
)

// readJSONLines reads a value from each line: an object whose keys are the columns, or an array of
// head, relation, tail and maybe other columns.
func readJSONLines(r *reader) error {
	t := table{reader: r}
	text := textfile.File{Path: r.path, Source: unclosed{r}}
	var keys []string
	for content := range text.Lines(maxLine) {
		if r.skipsComment(text.Line, content) {
			continue
		}
		cells, err := r.jsonCells(content, &keys)
		if err != nil {
			if err := r.fail(text.Line, err); err != nil {
				return err
			}
			continue
		}
		if keys != nil && t.width == 0 {
			t.titled = true
			if err := t.row(text.Line, keys); err != nil {
				return err
			}
		}
		if err := t.row(text.Line, cells); err != nil {
			return err
		}
	}
	return text.Err
}

// jsonCells returns the texts of an array, or of an object for the given keys, which the first
// object sets.
func (r *reader) jsonCells(line []byte, keys *[]string) ([]string, error) {
	if !utf8.Valid(line) {
		return nil, malformed("the line is not valid UTF-8; save the file as UTF-8 text")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, malformed("malformed JSON: %w", err)
	}
	if decoder.More() {
		return nil, malformed("more than one JSON value on the line; write one a line")
	}
	var values []any
	switch value := value.(type) {
	case []any:
		values = value
	case map[string]any:
		if *keys == nil {
			*keys = slices.Sorted(maps.Keys(value))
			for _, role := range roles {
				if key := r.Columns[role]; key != "" && !slices.Contains(*keys, key) {
					*keys = append(*keys, key)
				}
			}
			for role := head; r.Partial && role <= tail; role++ {
				if r.Columns[roles[role]] == "" && titled(*keys, role) < 0 {
					*keys = append(*keys, roles[role])
				}
			}
		}
		for _, key := range *keys {
			values = append(values, value[key])
		}
	default:
		return nil, malformed("the line is neither an object nor an array")
	}
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
