package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// ensembleed is what the table of ensembles shows of the JSON of ensemble.
type ensembleed struct {
	Dataset    string `json:"dataset"`
	Candidates int    `json:"candidates"`
	Members    []struct {
		Test float64 `json:"test_mrr"`
	} `json:"members"`
	HeldOut float64 `json:"held_out"`
	scored
}

// ensembles is the table of single models and of ensembles of them.
func ensembles(t *testing.T) string {
	t.Helper()
	const suffix = "-seeds.json"
	paths, err := filepath.Glob("ensemble-*" + suffix)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	var text strings.Builder
	text.WriteString("| graph | one of 8 seeds | the best of 16 by validation | all 8 seeds | two seeds of 4 structures | chosen among 16 of 5 structures | held out | one model, d 2,048 |\n|" + strings.Repeat(" --- |", 8) + "\n")
	var where []string
	for _, path := range paths {
		of := func(kind string) string { return strings.Replace(path, suffix, "-"+kind+".json", 1) }
		var seeds, structures, large ensembleed
		var chosen struct {
			ensembleed
			Best struct {
				Test float64 `json:"test_mrr"`
			} `json:"best"`
		}
		documents := []document{read(t, path, &seeds), read(t, of("structures"), &structures), read(t, of("chosen"), &chosen), read(t, of("large"), &large)}
		if len(seeds.Members) != 8 || len(structures.Members) != 8 || chosen.Candidates != 16 || chosen.Dataset != large.Dataset {
			t.Fatalf("%s and its fellows are not what the table is of", path)
		}
		var alone []float64
		for _, m := range seeds.Members {
			alone = append(alone, m.Test)
		}
		fmt.Fprintf(&text, "| %s | %s | %.3f | %.3f | %.3f | %.3f (%d) | %.3f | %.3f |\n", seeds.Dataset, spread(alone), chosen.Best.Test,
			seeds.Test.Both.MRR, structures.Test.Both.MRR, chosen.Test.Both.MRR, len(chosen.Members), chosen.HeldOut, large.Test.Both.MRR)
		for _, m := range documents {
			where = withPlace(where, m)
		}
	}
	fmt.Fprintf(&text, "\nTest MRR; held out is validation MRR. On %s.\n", strings.Join(where, "; "))
	return text.String()
}
