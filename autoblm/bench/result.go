package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/table"
	"github.com/dustin/go-humanize"
)

// document is a result file.
type document = record.Document[result]

// result holds the measurements.
type result struct {
	Threads int    `json:"threads"`
	Backend string `json:"backend"` // of our last run
	// Limit is the peak performance of a core for bfloat16 products in GFLOP/s, 0 if unknown.
	Limit float64  `json:"limit_gflops,omitempty"`
	Cases []timing `json:"cases,omitempty"`
	// Peers has the peers by name.
	Peers map[string]peerInfo `json:"peers,omitempty"`
	// LeftOut has the cases that were skipped, with the reasons.
	LeftOut []string `json:"left_out,omitempty"`
	// Notes has the messages of the engine.
	Notes []string `json:"notes,omitempty"`
}

// peerInfo describes a peer.
type peerInfo struct {
	Command string `json:"command"`
	On      string `json:"on,omitempty"` // its version and device
}

// timing holds the measurements of a case.
type timing struct {
	benchCase
	Outcomes []outcome `json:"outcomes"`
	// Precision is our precision in the comparison: that of auto, if it was timed.
	Precision string `json:"precision"`
	// Fastest is the peer with the smallest median. Ratio is our time relative to it, and
	// RatioFloat32 relative to our float32.
	Fastest      string  `json:"fastest,omitempty"`
	Ratio        float64 `json:"ratio,omitempty"`
	RatioFloat32 float64 `json:"ratio_float32,omitempty"`
	// GFLOPS is our performance, and Share its share of the limit of all threads, for bfloat16.
	GFLOPS float64 `json:"gflops,omitempty"`
	Share  float64 `json:"share,omitempty"`
	// Command and Date identify the measurement. The cases of a file may differ in both.
	Command string `json:"command"`
	Date    string `json:"date"`

	gflop float64 // work per member
}

// outcome holds the measurements of a runner on a case. Times are in seconds per member and in the
// order of measurement.
type outcome struct {
	Who  string `json:"who"`
	Peer bool   `json:"peer,omitempty"`
	// Seconds has the times of a step, an epoch or a ranking. With --fastest, slow peers are timed
	// once.
	Seconds []float64 `json:"seconds,omitempty"`
	// Fresh are the seconds of a ranking with an untrained model. Seconds is for a trained one.
	Fresh     []float64 `json:"fresh,omitempty"`
	Compiling float64   `json:"compiling,omitempty"` // in addition; the longest
	// MRR has the test MRRs of trained models, or the validation MRRs for a time to an MRR.
	MRR []float64 `json:"mrr,omitempty"`
	// PerEpoch is the number of steps per epoch of a training, and Ranking has the times of the
	// filtered, pessimistic ranking of the test triples after it.
	PerEpoch int       `json:"per_epoch,omitempty"`
	Ranking  []float64 `json:"ranking,omitempty"`
	// Memory is the peak memory of the process in bytes.
	Memory int64 `json:"memory,omitempty"`
	// Within is the result of a training for equal seconds.
	Within *timeLimited `json:"within,omitempty"`
	// Curve is the course of our last training, and Reached says how long our trainings took to
	// the MRR of a peer. It is nil if they did not reach it.
	Curve   []point  `json:"curve,omitempty"`
	Reached *reached `json:"reached,omitempty"`
	// Dropped is the error of a runner that failed.
	Dropped string `json:"dropped,omitempty"`

	curves [][]point
}

// timeLimited holds the seconds, the epochs and the test MRR of a training for equal seconds.
type timeLimited struct {
	Seconds float64 `json:"seconds"`
	Epochs  float64 `json:"epochs"`
	MRR     float64 `json:"mrr"`
}

// add adds a run of a case. A time-limited run has its schedule.
func (o *outcome) add(c benchCase, got output, limited *schedule) {
	o.Memory, o.Compiling = max(o.Memory, got.memory), max(o.Compiling, got.Compiling)
	if c.What == trainingKind && got.Test.Seconds > 0 {
		o.Ranking = append(o.Ranking, got.Test.Seconds)
	}
	if limited != nil {
		seconds := 0.0
		for _, ms := range got.Steps {
			seconds += ms / 1e3 * float64(got.Timed)
		}
		epochs := float64(limited.epochs*limited.steps) / float64(o.PerEpoch)
		o.Within = &timeLimited{Seconds: seconds, Epochs: epochs, MRR: got.Test.MRR}
		return
	}
	o.Seconds = append(o.Seconds, got.seconds(c))
	if len(got.curve) > 0 {
		o.Curve, o.curves = got.curve, append(o.curves, got.curve)
		return
	}
	if got.Fresh > 0 {
		o.Fresh = append(o.Fresh, got.Fresh)
	}
	if c.whole() || got.Fresh > 0 {
		o.MRR = append(o.MRR, got.ranking(c).MRR)
	}
	if c.What == trainingKind {
		o.PerEpoch = got.PerEpoch
	}
}

// of returns the outcome of our engine or of a peer, or an empty one.
func (t *timing) of(who string, peer bool) outcome {
	for _, o := range t.Outcomes {
		if o.Who == who && o.Peer == peer && len(o.Seconds) > 0 {
			return o
		}
	}
	return outcome{}
}

// ranked returns the timed peers, or our timed engines, fastest first.
func (t *timing) ranked(peers bool) (all []outcome) {
	for _, o := range t.Outcomes {
		if o.Peer == peers && len(o.Seconds) > 0 {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b outcome) int {
		return cmp.Compare(record.Median(a.Seconds), record.Median(b.Seconds))
	})
	return all
}

// summarize computes ratios and performance. auto is the precision of auto.
func (t *timing) summarize(auto string, limit float64, threads int) {
	all := t.ranked(false)
	t.Precision = auto
	if len(t.of(auto, false).Seconds) == 0 {
		t.Precision = all[0].Who
	}
	ours := record.Median(t.of(t.Precision, false).Seconds)
	t.GFLOPS = t.gflop / ours
	if t.Precision == bfloat16s && limit > 0 {
		t.Share = t.GFLOPS / (limit * float64(threads))
	}
	if alone := t.of(float32s, false).Seconds; len(alone) > 0 && len(all) > 1 {
		t.RatioFloat32 = ours / record.Median(alone)
	}
	if peers := t.ranked(true); len(peers) > 0 {
		t.Fastest = peers[0].Who
		t.Ratio = ours / record.Median(peers[0].Seconds)
	}
}

// print prints the outcomes of a case.
func (t *timing) print(w io.Writer) {
	fmt.Fprintln(w, t.Name)
	if t.What == mrrKind {
		t.printReached(w)
		return
	}
	shown := table.New("", "time", "compiling", "untrained", "ranking", "memory", "MRR",
		"timed", "epochs")
	for _, o := range t.Outcomes {
		if o.Dropped != "" {
			fmt.Fprintf(w, "%s was dropped: %s\n", o.Who, o.Dropped)
			continue
		}
		row := []any{
			o.Who, duration(o.Seconds...), nil, duration(o.Fresh...), duration(o.Ranking...),
			nil, nil, nil, nil,
		}
		if o.Compiling > 0 {
			row[2] = duration(o.Compiling)
		}
		if o.Memory > 0 {
			row[5] = humanize.IBytes(uint64(o.Memory))
		}
		if len(o.MRR) > 0 {
			row[6] = record.Median(o.MRR)
		}
		if o.Within != nil {
			row[7], row[8] = o.Within.MRR, fmt.Sprintf("%.2f", o.Within.Epochs)
		}
		shown.Add(row...)
	}
	shown.Print(w)
	if t.GFLOPS > 0 {
		fmt.Fprintf(w, "%.0f GFLOP/s\n", t.GFLOPS)
	}
	if t.Share > 0 {
		fmt.Fprintf(w, "%.0f%% of the limit\n", 100*t.Share)
	}
	if t.Ratio > 0 {
		fmt.Fprintf(w, "%.3f of the time of %s (goal %.2f)\n", t.Ratio, t.Fastest, t.Goal)
	}
	if t.RatioFloat32 > 0 && t.GoalFloat32 > 0 {
		fmt.Fprintf(w, "%.2f of our float32 (goal %.2f)\n", t.RatioFloat32, t.GoalFloat32)
	}
	fmt.Fprintln(w)
}

// duration returns the median of seconds as text, or nil.
func duration(seconds ...float64) any {
	if len(seconds) == 0 {
		return nil
	}
	return format.Milliseconds(record.Median(seconds))
}

// put adds or replaces a case, in the order of all cases.
func (r *result) put(t timing, all []benchCase) {
	r.Cases = slices.DeleteFunc(r.Cases, func(old timing) bool { return old.ID == t.ID })
	r.Cases = append(r.Cases, t)
	place := func(t timing) int {
		return slices.IndexFunc(all, func(c benchCase) bool { return c.ID == t.ID })
	}
	slices.SortStableFunc(r.Cases, func(a, b timing) int { return place(a) - place(b) })
}

// setLeftOut records why a case was skipped, or with "" that it was not.
func (r *result) setLeftOut(id, why string) {
	r.LeftOut = slices.DeleteFunc(r.LeftOut, func(old string) bool {
		return strings.HasPrefix(old, id+":")
	})
	if why != "" {
		r.LeftOut = append(r.LeftOut, why)
	}
}

// addRun stores the versions of a peer, or the backend and the messages of our engine.
func (r *result) addRun(by runner, got output) {
	if by.isPeer() {
		if on := got.on(); on != "" {
			r.Peers[by.name] = peerInfo{Command: r.Peers[by.name].Command, On: on}
		}
		return
	}
	r.Backend = record.HidePaths(got.Backend)
	for _, note := range got.Notes {
		if note = record.HidePaths(note); !slices.Contains(r.Notes, note) {
			r.Notes = append(r.Notes, note)
		}
	}
}

// resume adds the results of an existing file. It fails if the file is of another machine, has
// another limit, or has other peers under the same names.
func resume(d *document, path string) error {
	before, err := record.Read[result](path)
	mismatch := func(what string, was, is any) error {
		return fmt.Errorf("%s has measurements with the %s %v, not %v: use another file for --out",
			path, what, was, is)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot resume %s: %w; use another file for --out", path, err)
	case before.Machine != d.Machine:
		return mismatch("machine", before.Machine, d.Machine)
	case before.Result.Limit != d.Result.Limit:
		return mismatch("limit", before.Result.Limit, d.Result.Limit)
	}
	for name, p := range before.Result.Peers {
		if now, here := d.Result.Peers[name]; here && now.Command != p.Command {
			return mismatch("peer "+name, p.Command, now.Command)
		}
		d.Result.Peers[name] = p
	}
	d.Result.Cases, d.Result.LeftOut = before.Result.Cases, before.Result.LeftOut
	d.Result.Notes = before.Result.Notes
	return nil
}
