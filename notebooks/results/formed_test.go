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

// formMembers names the kinds of the members of such an ensemble, with the number of each above one; with
// weights by relation, in which all models are, it is just their number.
func formMembers(d doc) string {
	members := find(d.R, "members").([]any)
	if find(d.R, "weights") != nil {
		return fmt.Sprintf("all %d, weighted by relation", len(members))
	}
	count := map[string]int{}
	for _, m := range members {
		count[formKind(m)]++
	}
	names := unique(members, formKind)
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = fmt.Sprintf("%d %s", n, name)
		}
	}
	return strings.Join(names, ", ")
}

// formKind returns the kind of a member, such as conve of form-nations-conve-1.
func formKind(member any) string { return strings.Split(find(member, "folder").(string), "-")[2] }

// Alone returns the test MRRs of the student without a teacher, by the seeds of forms.sh.
func (m taughtModel) Alone() (test []float64, err error) {
	all, err := readDoc("formed-" + m.Graph + "-relation.json")
	if err != nil {
		return nil, err
	}
	kind := m.Student
	if strings.HasPrefix(kind, "`") {
		kind = "found"
	}
	for _, member := range find(all.R, "members").([]any) {
		if formKind(member) == kind {
			test = append(test, number(find(member, "test_mrr")))
		}
	}
	return test, nil
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
