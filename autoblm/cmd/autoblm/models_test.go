package main

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var (
	modelFlag = regexp.MustCompile("--(structure|model|encoder) ([^ `]+)")
	cited     = regexp.MustCompile(`\[[^]]+ \d{4}\]\(https://[^)]+\)$`)
)

// trainedModels has a short training of each model on the small graph of the conformance suite, with
// the loss of its last epoch and its validation MRR.
var trainedModels = []struct {
	flags     string
	loss, mrr float64
}{
	{"--structure distmult", 0, 0},
	{"--structure cp", 0, 0},
	{"--structure simple", 0, 0},
	{"--structure complex", 0, 0},
	{"--structure hole", 0, 0},
	{"--structure analogy", 0, 0},
	{"--structure quate", 0, 0},
	{"--structure bique --translate --reciprocal", 0, 0},
	{"--model gqe", 0, 0},
	{"--model diag", 0, 0},
	{"--model block-4", 0, 0},
	{"--model core-1 --batch-norm --reciprocal --loss bce", 0, 0},
	{"--model core-2 --reciprocal --orthogonality 0.1", 0, 0},
	{"--model transe", 0, 0},
	{"--model transh", 0, 0},
	{"--model rotate --negatives 16", 0, 0},
	{"--model pairre", 0, 0},
	{"--model q2b", 0, 0},
	{"--model conve-4-4-2 --recipe conve", 0, 0},
	{"--model interstellar-wn18rr --recipe interstellar", 0, 0},
	{"--model interstellar-fb15k-237 --recipe interstellar", 0, 0},
	{"--structure complex --encoder compgcn-sub --recipe compgcn", 0, 0},
	{"--structure distmult --encoder compgcn-mult --recipe compgcn", 0, 0},
	{"--model transe --encoder compgcn-corr --recipe compgcn", 0, 0},
	{"--structure simple --encoder blm --message complex --recipe compgcn", 0, 0},
	{"--structure distmult --encoder rgcn --recipe rgcn", 0, 0},
}

// TestTrainedModels trains each model for a few epochs and compares it with the stored figures, within
// the rounding of other instruction sets. A model without a row fails.
func TestTrainedModels(t *testing.T) {
	const lossTolerance, mrrTolerance = 2e-3, .01 // relative, absolute
	graph := smallGraph(t)
	withoutGPU(t)
	t.Chdir(t.TempDir())
	missing := allModels()
	for _, m := range trainedModels {
		for _, flag := range modelFlag.FindAllStringSubmatch(m.flags, -1) {
			missing = without(missing, modelOf(t, flag[1], flag[2]))
		}
		t.Run(m.flags, func(t *testing.T) {
			recipe := "--recipe basic"
			if strings.Contains(m.flags, "--recipe") {
				recipe = "--backend go"
			}
			trained := object(t, "train --dim 16 --batch 32 --epochs 4 --validate-every 0 --patience 0",
				"--lr 0.05", recipe, m.flags, "--dataset", graph)
			loss, mrr := number(t, trained, "loss.3"), number(t, trained, "valid.both.mrr")
			if math.Abs(loss-m.loss) > lossTolerance*m.loss || math.Abs(mrr-m.mrr) > mrrTolerance {
				t.Errorf("loss %.4f and validation MRR %.3f, want %.4f and %.3f", loss, mrr, m.loss, m.mrr)
			}
			if before := number(t, trained, "loss.0"); loss >= before {
				t.Errorf("the loss goes from %v to %v", before, loss)
			}
		})
	}
	for _, name := range missing {
		t.Errorf("trainedModels has no row for %s", name)
	}
}

// without returns a list without a text.
func without(list []string, text string) []string {
	return slices.DeleteFunc(list, func(other string) bool { return other == text })
}

// TestTableOfModels checks that the README's table has a row for each baseline, form and encoder, with
// flags that exist and a citation, and no other rows.
func TestTableOfModels(t *testing.T) {
	page := readFile(t, "../../..", "README.md")
	_, after, _ := strings.Cut(page, "<!-- models -->\n")
	table, _, found := strings.Cut(after, "<!-- end of models -->")
	if !found {
		t.Fatal("the README has no table of models between <!-- models --> and <!-- end of models -->")
	}
	missing := allModels()
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if i < 2 { // titles
			continue
		}
		if len(cells) != 4 {
			t.Errorf("%q has %d cells, want model, flags, score and source", line, len(cells))
			continue
		}
		if cells[3] != "this project" && !cited.MatchString(cells[3]) {
			t.Errorf("%s has the source %q, want [Name YEAR](https://…)", cells[0], cells[3])
		}
		flags := modelFlag.FindAllStringSubmatch(cells[1], -1)
		if len(flags) == 0 {
			t.Errorf("%s has no --structure, --model or --encoder", cells[0])
		}
		for _, flag := range flags {
			missing = without(missing, modelOf(t, flag[1], flag[2]))
		}
	}
	for _, name := range missing {
		t.Errorf("the README's table of models has no row for %s", name)
	}
}

// modelOf returns the model of a flag, as allModels lists it.
func modelOf(t *testing.T, flag, value string) string {
	t.Helper()
	var f form.Form
	var e kge.Encoder
	var err error
	switch flag {
	case "structure":
		_, err = structure.Parse(value)
	case "model":
		err = f.UnmarshalText([]byte(value))
		value = f.Kind()
	case "encoder":
		err = e.UnmarshalText([]byte(value))
	}
	if err != nil {
		t.Errorf("--%s %s: %v", flag, value, err)
	}
	return flag + " " + value
}

// allModels returns all baselines, the kinds of all forms that can be chosen, and all encoders.
func allModels() (all []string) {
	for _, b := range structure.BaselinesWith(structure.MaxK) {
		all = append(all, "structure "+b.Name)
	}
	all = append(all, "structure cp", "structure hole")
	for _, name := range form.Names() {
		if kind, _, _ := strings.Cut(name, "-"); kind != form.Bilinear.String() {
			all = append(all, "model "+kind)
		}
	}
	for e := kge.NoEncoder + 1; ; e++ {
		name, err := e.MarshalText()
		if err != nil {
			break
		}
		all = append(all, "encoder "+string(name))
	}
	return all
}
