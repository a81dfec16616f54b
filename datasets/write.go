package datasets

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// WriteFolder writes train.txt, valid.txt and test.txt of a graph into a folder,
// which is made if needed, so that [ReadFolder] reads them. All three are
// written, also empty ones, each replaced as a whole.
func WriteFolder(g *Graph, dir string) error {
	for _, labels := range [][]string{g.Entities, g.Relations} {
		for id, label := range labels {
			if label == "" || !utf8.ValidString(label) || strings.ContainsAny(label, "\t\r\n\x00\uFEFF") {
				return fmt.Errorf("label %q of id %d cannot be written: labels must be UTF-8, not empty and without tabs and line ends", label, id)
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range splitNames {
		triples, err := g.Split(name)
		if err != nil {
			return err
		}
		if err := g.writeSplit(triples, filepath.Join(dir, name+".txt")); err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) writeSplit(triples []Triple, path string) error {
	var text bytes.Buffer
	for _, t := range triples {
		fmt.Fprintf(&text, "%s\t%s\t%s\n", g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail])
	}
	if err := wholefile.Write(path, text.Bytes()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
