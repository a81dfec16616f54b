package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/textfile"
)

func readOpenKE(dir string, open opener) (*Graph, error) {
	var g Graph
	dictionary := func(name string) ([]string, error) {
		text, err := open.first(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: train2id.txt is here but %s is missing; put it there", dir, name)
		}
		if err != nil {
			return nil, err
		}
		return readOpenKELabels(text)
	}
	err := readSplits(&g, func(split string) ([]Triple, error) {
		text, err := open.first(split + "2id.txt")
		if err != nil {
			return nil, err
		}
		// The dictionaries must exist once a split in this format does.
		if g.Entities == nil {
			if g.Entities, err = dictionary("entity2id.txt"); err != nil {
				return nil, err
			}
			if g.Relations, err = dictionary("relation2id.txt"); err != nil {
				return nil, err
			}
		}
		return readOpenKETriples(text, len(g.Entities), len(g.Relations))
	})
	if err != nil {
		return nil, err
	}
	return &g, nil
}

// readOpenKELabels reads a count line and then a label and its id on each line.
func readOpenKELabels(text *textfile.File) ([]string, error) {
	byID := make(map[int32]string)
	labelLine, idLine := make(map[string]int), make(map[int32]int)
	count, err := readCounted(text, func(line []byte, count int) error {
		line = bytes.TrimRight(line, "\t ")
		at := bytes.LastIndexAny(line, "\t ")
		if at < 0 {
			return text.Errorf("found one field; expected label<TAB>id")
		}
		label := string(bytes.TrimRight(line[:at], "\t "))
		if label == "" {
			return text.Errorf("empty label; expected label<TAB>id")
		}
		if strings.Contains(label, "\t") {
			return text.Errorf("tab inside the label; expected label<TAB>id")
		}
		id, err := parseID(text, line[at+1:], count, "id")
		if err != nil {
			return err
		}
		if before, found := labelLine[label]; found {
			return text.Errorf("label %q is already on line %d; labels must be unique",
				clip([]byte(label)), before)
		}
		if before, found := idLine[id]; found {
			return text.Errorf("id %d is already on line %d; ids must be unique", id, before)
		}
		byID[id], labelLine[label], idLine[id] = label, text.Line, text.Line
		return nil
	})
	if err != nil {
		return nil, err
	}
	labels := make([]string, count) // of count different ids in range, so every id has one
	for id, label := range byID {
		labels[id] = label
	}
	return labels, nil
}

// readOpenKETriples reads a count line and then head, tail and relation (in
// this order) as ids on each line.
func readOpenKETriples(text *textfile.File, entities, relations int) ([]Triple, error) {
	var triples []Triple
	_, err := readCounted(text, func(line []byte, _ int) error {
		fields := bytes.Fields(line)
		if len(fields) != 3 {
			return text.Errorf("found %d fields; expected head, tail and relation as ids", len(fields))
		}
		head, err := parseID(text, fields[0], entities, "head")
		if err != nil {
			return err
		}
		tail, err := parseID(text, fields[1], entities, "tail")
		if err != nil {
			return err
		}
		relation, err := parseID(text, fields[2], relations, "relation")
		if err != nil {
			return err
		}
		triples = append(triples, Triple{head, relation, tail})
		return nil
	})
	return triples, err
}

// readCounted reads the count on the first line, calls each for the other lines, and checks
// their number.
func readCounted(text *textfile.File, each func(line []byte, count int) error) (int, error) {
	count, found := -1, 0
	for line := range linesOf(text) {
		if count < 0 {
			number, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 32)
			if err != nil || number < 0 {
				return 0, text.Errorf("%q is not a count; expected the number of lines that follow",
					clip(line))
			}
			count = int(number)
			continue
		}
		found++
		if found > count {
			return 0, text.Errorf("line 1 announces %d lines, but this is another; correct the count",
				count)
		}
		if err := each(line, count); err != nil {
			return 0, err
		}
	}
	if text.Err != nil {
		return 0, text.Err
	}
	if count < 0 {
		return 0, fmt.Errorf("%s: empty; expected a count on line 1", text.Path)
	}
	if found != count {
		return 0, fmt.Errorf("%s:1: announces %d lines, but %d follow; correct the count",
			text.Path, count, found)
	}
	return count, nil
}

func parseID(text *textfile.File, field []byte, count int, what string) (int32, error) {
	id, err := strconv.ParseInt(string(field), 10, 32)
	if err != nil {
		return 0, text.Errorf("%s %q is not a number; expected an id from 0 to %d",
			what, clip(field), count-1)
	}
	if id < 0 || int(id) >= count {
		return 0, text.Errorf("%s %d is out of range; expected an id from 0 to %d", what, id, count-1)
	}
	return int32(id), nil
}

// clip shortens text for an error message.
func clip(text []byte) []byte {
	if len(text) > 40 {
		return append(text[:40:40], "..."...)
	}
	return text
}
