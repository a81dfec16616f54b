package results

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
)

// timings are what bench writes.
type timings struct {
	Cases []timed `json:"cases"`
	Peers map[string]struct {
		Command string `json:"command"`
		On      string `json:"on"`
	} `json:"peers"`
	Threads int     `json:"threads"`
	Limit   float64 `json:"limit_gflops"`
}

// timed is a case of them.
type timed struct {
	Name         string               `json:"name"`
	Goal         float64              `json:"goal"`
	GoalFloat32  float64              `json:"goal_float32"`
	Within       float64              `json:"within"`
	Ours         map[string][]float64 `json:"ours"`
	Peers        map[string][]float64 `json:"peers"`
	Fresh        map[string][]float64 `json:"fresh"`
	MRR          float64              `json:"mrr"`
	Precision    string               `json:"precision"`
	Fastest      string               `json:"fastest"`
	Ratio        float64              `json:"ratio"`
	RatioFloat32 float64              `json:"ratio_float32"`
	GFLOPS       float64              `json:"gflops"`
	Share        float64              `json:"share"`
	Compile      float64              `json:"compile"`
	OurMemory    uint64               `json:"our_memory"`
	PeerMemory   uint64               `json:"peer_memory"`
	Command      string               `json:"command"`
	Date         string               `json:"date"`
}

// speed are the tables of the timings beside peers: ours beside the fastest of them, and all
// of them.
func speed(t *testing.T, files fs.FS) string {
	t.Helper()
	var r timings
	m := readFrom(t, files, "bench-cpu.json", &r)
	var text strings.Builder
	text.WriteString("| what | bfloat16 | float32 | fastest peer | ratio | to our float32 | GFLOP/s | of the limit |\n|" + strings.Repeat(" --- |", 8) + "\n")
	for _, c := range r.Cases {
		peer := "–"
		if c.Fastest != "" {
			peer = fmt.Sprintf("%s (%s)", duration(c.Peers[c.Fastest]), c.Fastest)
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s | %.0f | %s |\n", c.Name, c.ours("bfloat16"), c.ours("float32"), peer,
			goal(c.Ratio, c.Goal), goal(c.RatioFloat32, c.GoalFloat32), c.GFLOPS, share(c.Share))
	}
	names := slices.Sorted(maps.Keys(r.Peers))
	if len(names) > 1 {
		fmt.Fprintf(&text, "\nAll peers; those that were timed once are in brackets:\n\n| what | %s |\n|%s\n", strings.Join(names, " | "), strings.Repeat(" --- |", 1+len(names)))
		for _, c := range r.Cases {
			if len(c.Peers) == 0 {
				continue
			}
			fmt.Fprintf(&text, "| %s |", c.Name)
			for _, name := range names {
				fmt.Fprintf(&text, " %s |", c.peer(name))
			}
			text.WriteString("\n")
		}
	}
	fmt.Fprintf(&text, "\nMedians of runs in turns, on %s", m.Machine)
	if slices.ContainsFunc(r.Cases, func(c timed) bool { return len(c.Ours) > 1 }) {
		fmt.Fprintf(&text, ". Bold is what `--precision auto` takes, which is compared; the limit is %.2f TFLOP/s in bfloat16 for %d threads", r.Limit*float64(r.Threads)/1e3, r.Threads)
	}
	text.WriteString(". " + fresh(r.Cases))
	var commands []string
	for _, c := range r.Cases {
		if command := fmt.Sprintf("`%s`, %s", shorter(c.Command), c.Date); !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	fmt.Fprintf(&text, "%s; the peers:\n\n", strings.Join(commands, "; "))
	for _, name := range names {
		fmt.Fprintf(&text, "- %s: `%s`, PyTorch %s\n", name, r.Peers[name].Command, cmp.Or(r.Peers[name].On, "that did not run"))
	}
	return text.String()
}

// fresh tells how long the ranking of models takes that were not trained.
func fresh(cases []timed) string {
	var all []string
	for _, c := range cases {
		if times := c.Fresh[c.Precision]; len(times) > 0 {
			all = append(all, fmt.Sprintf("%s: %s, and not %s, whose MRR is %.2f", c.Name, duration(times), duration(c.Ours[c.Precision]), c.MRR))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Models as training begins are ranked in other times: " + strings.Join(all, "; ") + ". "
}

// ours is our time in a precision, bold where it is the one that is compared.
func (c timed) ours(precision string) string {
	text := duration(c.Ours[precision])
	if precision == c.Precision && len(c.Ours) > 1 {
		text = "**" + text + "**"
	}
	return text
}

func (c timed) peer(name string) string {
	switch text := duration(c.Peers[name]); {
	case len(c.Peers[name]) == 1 && len(c.Peers[c.Fastest]) > 1:
		return "(" + text + ")"
	default:
		return text
	}
}

// goal is a ratio beside the one that we aim at.
func goal(ratio, at float64) string {
	switch {
	case ratio == 0:
		return "–"
	case at == 0:
		return fmt.Sprintf("%.2f", ratio)
	}
	return fmt.Sprintf("%.2f (≤ %g)", ratio, at)
}

func share(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// duration is the median of seconds, to three digits.
func duration(seconds []float64) string {
	if len(seconds) == 0 {
		return "–"
	}
	return format.Milliseconds(record.Median(seconds))
}

var peerFlag = regexp.MustCompile(` --(?:step-)?peer ('[^']*'|"[^"]*"|\S+)`)

// shorter is a command without its peers, which are listed.
func shorter(command string) string {
	return peerFlag.ReplaceAllString(command, "")
}

func TestSpeedTables(t *testing.T) {
	text := speed(t, fstest.MapFS{"bench-cpu.json": {Data: []byte(`{"command": "bench", "date": "2030-01-02", "machine": "two cores", "result": {"threads": 2, "limit_gflops": 2570, "peers": {
		"a": {"command": "python3 a.py", "on": "2.0 on cpu"}, "b": {"command": "python3 b.py"}}, "cases": [
		{"name": "steps", "goal": 0.2, "goal_float32": 0.45, "ours": {"float32": [0.08, 0.09, 0.0857], "bfloat16": [0.03]}, "peers": {"a": [0.5], "b": [0.25, 0.25]}, "precision": "bfloat16",
			"fastest": "b", "ratio": 0.12, "ratio_float32": 0.35, "gflops": 537.2, "share": 0.104, "command": "bench --peer 'a: python3 a.py' --step-peer 'b: python3 b.py' --repeat 3", "date": "2030-01-02"},
		{"name": "an epoch", "ours": {"float32": [12.34]}, "fresh": {"float32": [20]}, "mrr": 0.25, "precision": "float32", "gflops": 100, "command": "bench --cases epoch", "date": "2030-01-03"}]}}`)}})
	for _, line := range []string{
		"| steps | **30.0 ms** | 85.7 ms | 250 ms (b) | 0.12 (≤ 0.2) | 0.35 (≤ 0.45) | 537 | 10 % |",
		"| an epoch | – | 12.3 s | – | – | – | 100 | – |",
		"| steps | (500 ms) | 250 ms |",
		"- a: `python3 a.py`, PyTorch 2.0 on cpu",
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("there is no line %q in\n%s", line, text)
		}
	}
	if commands := "an epoch: 20.0 s, and not 12.3 s, whose MRR is 0.25. `bench --repeat 3`, 2030-01-02; `bench --cases epoch`, 2030-01-03; the peers:"; !strings.Contains(text, "5.14 TFLOP/s in bfloat16 for 2 threads") || !strings.Contains(text, commands) {
		t.Errorf("there is no %s in\n%s", commands, text)
	}
}
