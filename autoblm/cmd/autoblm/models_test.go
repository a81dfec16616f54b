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
	inCode    = regexp.MustCompile("`([^`]+)`")
	cited     = regexp.MustCompile(`\[[^]]+ \d{4}\]\(https://[^)]+\)$`)
)

// modelFigures has a short training of each model on the small graph of the conformance suite, with
// the loss of its last epoch and its validation MRR.
var modelFigures = []struct {
	flags     string
	loss, mrr float64
}{
	{"--structure distmult", 6.6686, 0.557},
	{"--structure cp", 6.8821, 0.423},
	{"--structure simple", 6.8821, 0.423},
	{"--structure complex", 6.8136, 0.225},
	{"--structure hole", 6.8136, 0.225},
	{"--structure analogy", 6.6782, 0.435},
	{"--structure quate", 6.9007, 0.140},
	{"--structure bique --translate --reciprocal", 6.7677, 0.090},
	{"--model gqe", 5.6822, 0.184},
	{"--model diag", 6.6686, 0.557},
	{"--model block-4", 6.1831, 0.289},
	{"--model core-1 --batch-norm --reciprocal --loss bce", 0.2446, 0.060},
	{"--model core-2 --reciprocal --orthogonality 0.1", 6.9837, 0.181},
	{"--model transe", 5.8875, 0.154},
	{"--model transh", 5.7581, 0.186},
	{"--model rotate --negatives 16", 2.3663, 0.254},
	{"--model pairre", 6.5279, 0.506},
	{"--model q2b", 5.7828, 0.154},
	{"--model conve-4-4-2 --recipe conve", 0.2421, 0.099},
	{"--model rsn --recipe rsn", 3.5361, 0.380},
	{"--model interstellar-wn18rr --recipe interstellar", 1.1753, 0.633},
	{"--model interstellar-fb15k-237 --recipe interstellar", 1.0356, 0.750},
	{"--structure complex --encoder compgcn-sub --recipe compgcn", 3.9696, 0.550},
	{"--structure distmult --encoder compgcn-mult --recipe compgcn", 4.3935, 0.577},
	{"--model transe --encoder compgcn-corr --recipe compgcn", 7.1678, 0.152},
	{"--structure simple --encoder blm --message complex --recipe compgcn", 5.1665, 0.395},
	{"--structure distmult --encoder rgcn --recipe rgcn", 4.8151, 0.623},
}

// TestTrainedModels trains each model for a few epochs and compares it with the stored figures, within
// the rounding of other instruction sets. A model without a row fails.
func TestTrainedModels(t *testing.T) {
	const lossTolerance, mrrTolerance = 2e-3, .01 // relative, absolute
	graph := smallGraph(t)
	withoutGPU(t)
	t.Chdir(t.TempDir())
	missing := allModels()
	for _, m := range modelFigures {
		for _, flag := range modelFlag.FindAllStringSubmatch(m.flags, -1) {
			missing = without(missing, modelOf(t, flag[1], flag[2]))
		}
		t.Run(m.flags, func(t *testing.T) {
			recipe := "--recipe basic"
			if strings.Contains(m.flags, "--recipe") {
				recipe = "--backend go"
			}
			trained := object(t, "train --dim 16 --batch 32 --epochs 4 --validate-every 0 --patience 0 --precision float32",
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
		t.Errorf("modelFigures has no row for %s", name)
	}
}

// without returns a list without a text.
func without(list []string, text string) []string {
	return slices.DeleteFunc(list, func(other string) bool { return other == text })
}

// TestTableOfModels checks that the README's table has a row for each baseline, form and encoder, with
// flags that training accepts and a citation, and no other rows but that of AutoBLM's structures.
func TestTableOfModels(t *testing.T) {
	page := readFile(t, "../../..", "README.md")
	_, after, _ := strings.Cut(page, "<!-- models -->\n")
	table, _, found := strings.Cut(after, "<!-- end of models -->")
	if !found {
		t.Fatal("the README has no table of models between <!-- models --> and <!-- end of models -->")
	}
	all, seen := allModels(), map[string]bool{}
	missing := slices.Clone(all)
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
			model := modelOf(t, flag[1], strings.Trim(flag[2], "'"))
			if cells[0] != "AutoBLM" && !slices.Contains(all, model) {
				t.Errorf("the row %s has the unknown model %s", cells[0], model)
			}
			if seen[flag[0]] {
				t.Errorf("the row %s repeats %s", cells[0], flag[0])
			}
			seen[flag[0]] = true
			missing = without(missing, model)
		}
		for _, code := range inCode.FindAllStringSubmatch(cells[1], -1) {
			checkTrain(t, "--dataset world "+strings.ReplaceAll(code[1], "'", "")) // quotes of the shell
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
		var f form.Form
		if f.UnmarshalText([]byte(name)) == nil && f.String() != name {
			continue // another name
		}
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
