package results

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/words"
)

// bestTeam is what the table of the best teams on the paper's benchmarks shows of the JSON of team.
type bestTeam struct {
	Dataset string `json:"dataset"`
	Members []struct {
		Model     form.Form            `json:"model"`
		Structure *structure.Structure `json:"structure"`
		Dim       int                  `json:"dim"`
		Test      float64              `json:"test_mrr"`
	} `json:"members"`
	Test completion.Evaluation `json:"test"`
}

// bestTeams is the table of teams of the best models on the paper's benchmarks.
func bestTeams(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	table := words.NewTable("graph", "members, d: test MRR of each", "together", "H@1", "H@10")
	var commands, where []string
	for _, graph := range reproduce.Benchmarks {
		file := "teamed-" + graph + "-best.json"
		if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
			continue
		}
		var team bestTeam
		from := readFrom(t, os.DirFS(folder), file, &team)
		if team.Dataset != graph || len(team.Members) < 2 {
			t.Fatalf("%s is not of a team on %s", file, graph)
		}
		var members []string
		for _, m := range team.Members {
			member := kge.Member{Form: m.Model}
			if m.Structure != nil {
				member.Structure = *m.Structure
			}
			title := reproduce.Trained{Training: kge.Training{Member: member}}.Title()
			members = append(members, fmt.Sprintf("%s, %s: %.3f", title, words.Whole(m.Dim), m.Test))
		}
		both := team.Test.Both
		table.Add(graph, strings.Join(members, "; "), both.MRR, both.Hits1, both.Hits10)
		commands = append(commands, "`"+from.Command+"`")
		where = withPlace(where, from)
	}
	if len(table.Rows) == 0 {
		return "Not run yet.\n"
	}
	markdown(&text, table.Header, table.Rows)
	fmt.Fprintf(&text, "\nThe members' trainings stand above. %s, on %s.\n", strings.Join(commands, ", "), strings.Join(where, "; "))
	return text.String()
}

// TestBestTeams: each graph with a file has a row, with the members by name, forms and structures.
func TestBestTeams(t *testing.T) {
	folder := t.TempDir()
	if none := bestTeams(t, folder); none != "Not run yet.\n" {
		t.Errorf("without files: %q", none)
	}
	content := `{"command": "autoblm team", "date": "2026-11-23", "machine": "here", "result": {"dataset": "wn18", "members": [
		{"structure": "complex", "dim": 2000, "test_mrr": 0.25}, {"model": "gqe", "structure": null, "dim": 8, "test_mrr": 0.125}],
		"test": {"both": {"mrr": 0.5, "hits1": 0.375, "hits10": 0.75}}}}`
	if err := os.WriteFile(filepath.Join(folder, "teamed-wn18-best.json"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(bestTeams(t, folder), "\n")
	if want := "| wn18 | ComplEx, 2,000: 0.250; RESCAL, 8: 0.125 | 0.500 | 0.375 | 0.750 |"; !slices.Contains(lines, want) {
		t.Errorf("it lacks %q:\n%s", want, strings.Join(lines, "\n"))
	}
	if says := "The members' trainings stand above. `autoblm team`, on here, 2026-11-23."; !slices.Contains(lines, says) {
		t.Errorf("it lacks %q:\n%s", says, strings.Join(lines, "\n"))
	}
}
