package show

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
	"github.com/autoblm/autoblm-go/internal/record"
)

// Stored is a measured result in the folder notebooks/results, with its command, date and machine.
type Stored[R any] struct {
	Name string // of its file, without the extension
	record.Document[R]
}

// ReadStored reads the results whose files match a pattern, such as "query-*.json", by name.
func ReadStored[R any](pattern string) (all []Stored[R]) {
	paths := Must(filepath.Glob(filepath.Join(Library("notebooks", "results"), pattern)))
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		all = append(all, Stored[R]{Name: name, Document: Must(record.Read[R](path))})
	}
	return all
}

// Sources shows the commands, dates and machines of stored results.
func Sources[R any](all []Stored[R]) {
	var commands, places []string
	for _, s := range all {
		commands = append(commands, s.Command)
		if place := s.Date + ", " + s.Machine; !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	Markdown("```\n" + strings.Join(commands, "\n") + "\n```\n" + strings.Join(places, "; ") + ".")
}

// StoredOutcomes shows the stored results of an ablation on all graphs, and their sources: mean and
// standard deviation, over the seeds, of the mean validation MRR of the eight best structures.
func StoredOutcomes(name string) {
	type result struct {
		Dataset  string
		Outcomes []ablation.Outcome
	}
	all := ReadStored[result]("ablation-" + name + "-*.json")
	header, rows := []string{name}, [][]string(nil)
	for _, s := range all {
		header = append(header, s.Result.Dataset)
		for i, o := range s.Result.Outcomes {
			if i == len(rows) {
				rows = append(rows, []string{o.Variant})
			}
			rows[i] = append(rows[i], spread(o, func(r ablation.Run) float64 { return r.TopMRR }))
		}
	}
	Table(header, rows)
	Sources(all)
}
