package results

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/stat"
)

// formed returns the ensemble of models of many kinds with the highest held-out MRR on a small graph,
// as forms.sh makes them; ok is false if there is none.
func formed(graph string) (best doc, ok bool, err error) {
	all, err := docs("formed-" + graph + "-*.json")
	if len(all) == 0 {
		return doc{}, false, err
	}
	return slices.MaxFunc(all, func(a, b doc) int {
		return cmp.Compare(number(find(a.R, "held_out")), number(find(b.R, "held_out")))
	}), true, err
}

// formMembers names the members of such an ensemble: those of three seeds are one, unless it selected
// them.
func formMembers(d doc) string {
	members := find(d.R, "members").([]any)
	if find(d.R, "weights") != nil {
		return fmt.Sprintf("all %d, weighted by relation", len(members))
	}
	count := map[string]int{}
	for _, m := range members {
		parts := strings.Split(find(m, "folder").(string), "-")
		count[parts[2]]++
	}
	names := unique(members, func(m any) string {
		return strings.Split(find(m, "folder").(string), "-")[2]
	})
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = fmt.Sprintf("%d %s", n, name)
		}
	}
	return strings.Join(names, ", ")
}

// taughtModel is a kind of models of taught.sh, by the seeds that trained it.
type taughtModel struct {
	Graph, Student      string
	Weight, Temperature string
	Valid, Test         []float64
}

var taughtFlags = regexp.MustCompile(
	`--structure=([^ ']+).*--teacher-weight (\S+) --temperature (\S+) --seed`)

// taught returns the models that more than one seed trained, the highest mean validation MRR first.
func taught(graph string) (all []taughtModel, err error) {
	files, err := docs("taught-" + graph + ".json")
	for _, d := range files {
		for _, trained := range d.R.([]any) {
			flags := taughtFlags.FindStringSubmatch(find(trained, "command").(string))
			student := structure.MustParse(flags[1])
			name := cmp.Or(student.Name(), "`"+student.String()+"`")
			i := slices.IndexFunc(all, func(m taughtModel) bool {
				return m.Student == name && m.Weight == flags[2] && m.Temperature == flags[3]
			})
			if i < 0 {
				i = len(all)
				all = append(all, taughtModel{
					Graph: graph, Student: name, Weight: flags[2], Temperature: flags[3],
				})
			}
			all[i].Valid = append(all[i].Valid, number(find(trained, "valid")))
			all[i].Test = append(all[i].Test, number(find(trained, "test")))
		}
	}
	all = slices.DeleteFunc(all, func(m taughtModel) bool { return len(m.Valid) == 1 })
	slices.SortFunc(all, func(a, b taughtModel) int {
		return cmp.Compare(stat.Mean(b.Valid, nil), stat.Mean(a.Valid, nil))
	})
	return all, err
}
