package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestNormalOutputFits runs commands on small data and checks that no line of a result is above 80
// columns, and that a search prints at most 15 lines.
func TestNormalOutputFits(t *testing.T) {
	t.Chdir(t.TempDir())
	copyFolder(t, "small", smallGraph(t))
	copyFolder(t, "kinds", kinds(t, nil))
	t.Setenv("AUTOBLM_DATA", t.TempDir())
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", t.TempDir()) // paths of plugins do not wrap
	for _, line := range []string{
		"recipe list", "recipe list --verbose", "recipe show n3 wn18rr", "dataset list",
		"dataset info small", "dataset info world", "dataset import small/train.txt --out split",
		"structure check complex", "structure show quate", "backend list",
		"train --dataset small --out m1 --members 2" + quick,
		"train --dataset small --out m2 --seed 2 --verbose" + quick,
		"eval --dataset small --model m1", "eval --dataset small --model m1 --by relation --verbose",
		"eval --dataset small --model m1 --by degree", "ensemble --dataset small --out e m1 m2",
		"predict --model m1 --head e16 --relation near",
		"query sample --dataset small --hops 2 --count 9 --out q",
		"query train --dataset q --hops 2 --out qm" + quick, "query eval --dataset q --model qm",
		"query predict --model qm --anchor e16 --path near,near",
		"classify train --structure distmult --dim 4 --epochs 2 --runs 1 --out c --dataset kinds",
		"classify eval --model c", "classify predict --model c --node x:6",
		"search --recipe basic --dataset small --out s" + quickSearch,
		"search --minutes 0.02 --dataset small --out timed",
		"search --minutes 0.0001 --dataset small --out none", "search --verbose --minutes 0.02 --out v",
		"study list", "study show s", "study show timed --verbose", "study resume s --budget 3",
		"study best s --out best", "report --study s",
		"ablate filter --seeds 1 --out ablated --dataset small" + quickSearch,
	} {
		t.Run(line, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if run(t.Context(), strings.Fields(line), &stdout, &stderr) != cli.Done {
				t.Fatal(stderr.String())
			}
			most := 1000
			if strings.HasPrefix(line, "search") && !strings.Contains(line, "--verbose") {
				most = 15
			}
			checkLines(t, stdout.String(), most)
		})
	}
}
