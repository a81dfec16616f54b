package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var (
	modelFlag = regexp.MustCompile("`--(structure|model|encoder) ([^ `]+)")
	cited     = regexp.MustCompile(`\[[^]]+ \d{4}\]\(https://[^)]+\)$`)
)

// TestTableOfModels checks that the README's table has a row for each baseline, form and encoder, with
// flags that exist and a citation, and no other rows.
func TestTableOfModels(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "<!-- models -->\n")
	table, _, found := strings.Cut(after, "<!-- end of models -->")
	if !found {
		t.Fatal("the README has no table of models between <!-- models --> and <!-- end of models -->")
	}
	missing := allModels(t)
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
			missing = slices.DeleteFunc(missing, func(name string) bool {
				return name == modelOf(t, flag[1], flag[2])
			})
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
func allModels(t *testing.T) (all []string) {
	t.Helper()
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
	if len(all) < 20 {
		t.Errorf("only %d models are known: %v", len(all), all)
	}
	return all
}
