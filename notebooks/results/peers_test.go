package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/autoblm/autoblm-go/internal/record"
)

// compared are what bench writes of whole trainings.
type compared struct {
	Trainings []struct {
		Name     string    `json:"name"`
		Epochs   int       `json:"epochs"`
		Seconds  float64   `json:"seconds"`
		Outcomes []outcome `json:"outcomes"`
	} `json:"trainings"`
	Peers map[string]struct {
		Command string `json:"command"`
		On      string `json:"on"`
	} `json:"peers"`
}

// outcome is what one of all came to.
type outcome struct {
	Who       string    `json:"who"`
	Precision string    `json:"precision"`
	Step      []float64 `json:"step"`
	PerEpoch  int       `json:"per_epoch"`
	Ranking   []float64 `json:"ranking"`
	Memory    uint64    `json:"memory"`
	MRR       []float64 `json:"mrr"`
	Within    *struct {
		Epochs float64 `json:"epochs"`
		MRR    float64 `json:"mrr"`
	} `json:"within"`
	Dropped string `json:"dropped"`
	Command string `json:"command"`
	Date    string `json:"date"`
}

// peers is the table of whole trainings beside those of peers.
func peers(t *testing.T, files fs.FS) string {
	t.Helper()
	const file = "peers-cpu.json"
	if _, err := fs.Stat(files, file); errors.Is(err, fs.ErrNotExist) {
		return "Not measured yet.\n"
	}
	var r compared
	m := readFrom(t, files, file, &r)
	var text strings.Builder
	text.WriteString("| training | by | epoch | ranking | memory | MRR, equal epochs | MRR, equal seconds |\n|" + strings.Repeat(" --- |", 7) + "\n")
	var commands, took []string
	for _, c := range r.Trainings {
		for _, o := range c.Outcomes {
			if command := fmt.Sprintf("`%s`, %s", shorter(o.Command), o.Date); !slices.Contains(commands, command) {
				commands = append(commands, command)
			}
			if !slices.Contains(took, o.Who) {
				took = append(took, o.Who)
			}
			by, equal, within := o.Who, "–", "–"
			if o.Precision != "" && !strings.Contains(by, o.Precision) {
				by += " in " + o.Precision
			}
			if o.Dropped != "" {
				why, _, _ := strings.Cut(o.Dropped, "killed: ") // by the system; its last words were of something else
				why = strings.Replace(why, "it failed: signal: ", "the system killed it", 1)
				fmt.Fprintf(&text, "| %s | %s | %s | – | – | – | – |\n", c.Name, by, why)
				continue
			}
			if len(o.MRR) > 0 {
				equal = fmt.Sprintf("%.3f, %d epochs", record.Median(o.MRR), c.Epochs)
			}
			if o.Within != nil {
				within = fmt.Sprintf("%.3f, %g s: %s epochs", o.Within.MRR, c.Seconds, digits(o.Within.Epochs))
			}
			fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s | %s |\n", c.Name, by, o.epoch(), duration(o.Ranking), mebibytes(o.Memory), equal, within)
		}
	}
	fmt.Fprintf(&text, "\nMedians of runs, in turns with the others of a command, on %s, seed 1. %s. The peers:\n\n", m.Machine, strings.Join(commands, "; "))
	for _, name := range slices.Sorted(maps.Keys(r.Peers)) {
		if slices.Contains(took, name) {
			fmt.Fprintf(&text, "- %s: `%s`, %s\n", name, r.Peers[name].Command, r.Peers[name].On)
		}
	}
	return text.String()
}

// epoch is the median time of an epoch, with the range where rounds differ much.
func (o outcome) epoch() string {
	all := slices.Sorted(slices.Values(o.Step))
	for i := range all {
		all[i] *= float64(o.PerEpoch)
	}
	if least, most := all[:1], all[len(all)-1:]; most[0] > 1.5*least[0] {
		return fmt.Sprintf("%s (%s to %s)", duration(all), duration(least), duration(most))
	}
	return duration(all)
}

// digits is a number to three digits.
func digits(x float64) string {
	switch {
	case x < 9.95:
		return fmt.Sprintf("%.2f", x)
	case x < 99.5:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func mebibytes(bytes uint64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20))
}

func TestPeersTable(t *testing.T) {
	text := peers(t, fstest.MapFS{"peers-cpu.json": {Data: []byte(`{"command": "bench", "date": "2030-01-02", "machine": "two cores", "result": {"threads": 2,
		"peers": {"PyKEEN": {"command": "venv/bin/python train.py", "on": "PyKEEN 1.11.1"}, "another": {"command": "x"}}, "trainings": [
		{"name": "umls", "epochs": 10, "seconds": 5, "outcomes": [
			{"who": "ours", "precision": "float32", "step": [0.001, 0.003, 0.002], "per_epoch": 20, "ranking": [0.5], "memory": 104857600, "mrr": [0.9], "within": {"epochs": 123.4, "mrr": 0.8}, "command": "bench --peer 'a: b'", "date": "2030-01-02"},
			{"who": "PyKEEN", "step": [0.1], "per_epoch": 20, "ranking": [1], "memory": 104857600, "within": {"epochs": 0.5, "mrr": 0.25}, "command": "bench", "date": "2030-01-02"}]},
		{"name": "large", "outcomes": [{"who": "PyKEEN", "dropped": "it failed", "command": "bench --cases large", "date": "2030-01-03"}]}]}}`)}})
	for _, line := range []string{
		"| umls | ours in float32 | 40.0 ms (20.0 ms to 60.0 ms) | 500 ms | 100 MiB | 0.900, 10 epochs | 0.800, 5 s: 123 epochs |",
		"| umls | PyKEEN | 2000 ms | 1000 ms | 100 MiB | – | 0.250, 5 s: 0.50 epochs |",
		"| large | PyKEEN | it failed | – | – | – | – |",
		"Medians of runs, in turns with the others of a command, on two cores, seed 1. `bench`, 2030-01-02; `bench --cases large`, 2030-01-03. The peers:",
		"- PyKEEN: `venv/bin/python train.py`, PyKEEN 1.11.1",
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("there is no line %q in\n%s", line, text)
		}
	}
	if strings.Contains(text, "another") {
		t.Errorf("who took no part is listed:\n%s", text)
	}
}
