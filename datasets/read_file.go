package datasets

import (
	"fmt"
	"path/filepath"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/autoblm/autoblm-go/internal/format"
)

// ReadFile reads a file of facts with [DefaultImport]. Warnings tell what was dropped.
func ReadFile(path string) (*Graph, error) {
	g, report, err := Import([]string{path}, DefaultImport())
	if err != nil {
		return nil, err
	}
	g.warnings = append(g.warnings, report.Warnings()...)
	g.Folder, err = filepath.Abs(path)
	return g, err
}

// Warnings returns what the reader left out that may be a fact, apart from lines that are malformed.
func (r *ImportReport) Warnings() (all []string) {
	for _, d := range r.Dropped {
		switch d.Reason {
		case facts.CommentedFacts:
			all = append(all, fmt.Sprintf("%s with the columns of a fact left out, such as %s: "+
				"if it is a fact, import the file with --comment ''", format.Count(d.Count, "comment"), d.Example))
		case facts.EmptyLabels, droppedLiterals:
			all = append(all, fmt.Sprintf("%s of %s are left out, such as %s: "+
				"import the file to choose", format.Int(d.Count), d.Reason, d.Example))
		}
	}
	return all
}
