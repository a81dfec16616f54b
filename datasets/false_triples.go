package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// FalseTriples returns the false triples of "valid" or "test" that the files of the graph give; see
// [ReadFolder].
func (g *Graph) FalseTriples(split string) []Triple { return g.falses[split] }

// falseFiles returns the names of the file of false triples of a split, ours and that of CoDEx.
func falseFiles(split string) []string {
	return []string{split + "_neg.txt", split + "_negatives.txt"}
}

// readFalse reads the files of false triples.
func (g *Graph) readFalse(open opener) error {
	for _, split := range splitNames[1:] {
		text, err := open.first(falseFiles(split)...)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var falses [][]string
		err = visitLines(text, func(line []byte) error {
			cells := strings.Split(string(line), "\t")
			if len(cells) != 3 {
				return fmt.Errorf("found %d tab-separated fields; expected head<TAB>relation<TAB>tail",
					len(cells))
			}
			facts.Unquote(cells)
			falses = append(falses, cells)
			return nil
		})
		if err != nil {
			return err
		}
		g.addFalse(split, text.Path, falses)
	}
	return nil
}

// addFalse adds the false triples of a split in a file. Those with labels that no true triple has are
// left out, with a warning.
func (g *Graph) addFalse(split, path string, falses [][]string) {
	if len(falses) == 0 {
		return
	}
	if g.falses == nil {
		g.falses = map[string][]Triple{}
	}
	entities, relations := labels.Index(g.Entities), labels.Index(g.Relations)
	unknown, first := 0, ""
	for _, cells := range falses {
		head, hasHead := entities[cells[0]]
		relation, hasRelation := relations[cells[1]]
		tail, hasTail := entities[cells[2]]
		if hasHead && hasRelation && hasTail {
			g.falses[split] = append(g.falses[split], Triple{head, relation, tail})
			continue
		}
		if unknown++; unknown == 1 {
			first = strings.Join(cells, ", ")
		}
	}
	if unknown > 0 {
		g.warnings = append(g.warnings, fmt.Sprintf("%s of %s are left out, such as (%s), because no "+
			"true triple has their labels: remove them", format.Count(unknown, "false triple"), path, first))
	}
}

// cutTruth removes a fourth field that says whether a triple is true, 1, or false, -1. Data for
// triple classification have it.
func cutTruth(line []byte) (triple []byte, isFalse bool) {
	if bytes.Count(line, []byte("\t")) != 3 {
		return line, false
	}
	if triple, isFalse = bytes.CutSuffix(line, []byte("\t-1")); isFalse {
		return triple, true
	}
	return bytes.TrimSuffix(line, []byte("\t1")), false
}
