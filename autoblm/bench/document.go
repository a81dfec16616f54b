package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/record"
)

// document is a result file.
type document = record.Document[result]

// result holds the measurements.
type result struct {
	Threads int    `json:"threads"`
	Engine  string `json:"engine"`
	Backend string `json:"backend"`
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
	// Ours has our seconds per member by precision, and Peers those of peers by name, in the
	// order of measurement. With --fastest, slow peers are timed once.
	Ours  map[string][]float64 `json:"ours"`
	Peers map[string][]float64 `json:"peers,omitempty"`
	// Dropped has the errors of precisions and peers that failed.
	Dropped map[string]string `json:"dropped,omitempty"`
	// Fresh has our seconds with an untrained model. Ours is for a trained one, with this MRR.
	Fresh map[string][]float64 `json:"fresh,omitempty"`
	MRR   float64              `json:"mrr,omitempty"`
	// Precision is our precision in the comparison: that of auto, if it was timed.
	Precision string `json:"precision"`
	// Fastest is the peer with the smallest median. Ratio is our time relative to it, and
	// RatioFloat32 relative to our float32.
	Fastest      string  `json:"fastest,omitempty"`
	Ratio        float64 `json:"ratio,omitempty"`
	RatioFloat32 float64 `json:"ratio_float32,omitempty"`
	// GFLOPS is our performance, and Share its share of the limit of all threads, for bfloat16.
	GFLOPS float64 `json:"gflops"`
	Share  float64 `json:"share,omitempty"`
	// Compile is our compile time in seconds, in addition.
	Compile float64 `json:"compile,omitempty"`
	// Command and Date identify the measurement. The cases of a file may differ in both.
	Command string `json:"command"`
	Date    string `json:"date"`

	gflop float64 // work per member
}

const float32s, bfloat16s = "float32", "bfloat16"

// add adds a run of our engine with a precision.
func (t *timing) add(precision string, r run) {
	t.Ours[precision] = append(t.Ours[precision], r.seconds)
	if r.fresh > 0 {
		t.Fresh[precision] = append(t.Fresh[precision], r.fresh)
	}
	t.Precision, t.MRR, t.gflop = r.auto, r.mrr, r.gflop
	t.Compile = max(t.Compile, r.compiling)
}

// add stores the backend and the messages of a run of our engine.
func (r *result) add(ours run) {
	r.Backend = record.HidePaths(ours.on)
	for _, note := range ours.notes {
		if note = record.HidePaths(note); !slices.Contains(r.Notes, note) {
			r.Notes = append(r.Notes, note)
		}
	}
}

// summarize computes ratios and performance.
func (t *timing) summarize(limit float64, threads int) {
	if len(t.Ours[t.Precision]) == 0 {
		t.Precision = slices.Min(slices.Collect(maps.Keys(t.Ours)))
	}
	ours := record.Median(t.Ours[t.Precision])
	t.GFLOPS = t.gflop / ours
	if t.Precision == bfloat16s && limit > 0 {
		t.Share = t.GFLOPS / (limit * float64(threads))
	}
	if alone := t.Ours[float32s]; len(alone) > 0 && len(t.Ours) > 1 {
		t.RatioFloat32 = ours / record.Median(alone)
	}
	if ranked := t.ranked(); len(ranked) > 0 {
		t.Fastest = ranked[0]
		t.Ratio = ours / record.Median(t.Peers[t.Fastest])
	}
}

// ranked returns the names of the peers, fastest first.
func (t *timing) ranked() []string {
	names := slices.Sorted(maps.Keys(t.Peers))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(record.Median(t.Peers[a]), record.Median(t.Peers[b]))
	})
	return names
}

// put adds or replaces a case, in the order of all cases.
func (r *result) put(t timing, all []benchCase) {
	r.Cases = slices.DeleteFunc(r.Cases, func(old timing) bool { return old.ID == t.ID })
	r.Cases = append(r.Cases, t)
	sortByID(r.Cases, ids(all), func(t timing) string { return t.ID })
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

// sortByID sorts results in the order of the IDs.
func sortByID[T any](all []T, order []string, id func(T) string) {
	slices.SortStableFunc(all, func(a, b T) int {
		return slices.Index(order, id(a)) - slices.Index(order, id(b))
	})
}

// write writes a document into the file of --out, if there is one.
func write[Result any](d *record.Document[Result], out string) error {
	if out == "" {
		return nil
	}
	if err := d.Write(out); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}

// setVersions stores the versions and the device of a peer, if it printed them.
func setVersions(peers map[string]peerInfo, name, on string) {
	if p, known := peers[name]; known && on != "" {
		p.On = on
		peers[name] = p
	}
}

// resume adds the cases of an existing file. It fails if the file has another limit.
func resume(d *document, path string) error {
	before, err := readPrevious(path, d, func(r result) map[string]peerInfo { return r.Peers })
	switch {
	case before == nil || err != nil:
		return err
	case before.Limit != d.Result.Limit:
		return mismatch(path, "limit", fmt.Sprint(before.Limit), fmt.Sprint(d.Result.Limit))
	}
	d.Result.Cases, d.Result.LeftOut = before.Cases, before.LeftOut
	d.Result.Notes = before.Notes
	return nil
}

// addPeers adds earlier peers. It fails if a peer with the same name has another command.
func addPeers(path string, before, now map[string]peerInfo) error {
	for name, p := range before {
		if other, here := now[name]; here && other.Command != p.Command {
			return mismatch(path, "peer "+name, p.Command, other.Command)
		}
		if _, here := now[name]; !here || now[name].On == "" {
			now[name] = p
		}
	}
	return nil
}

// mismatch returns the error for a file of other measurements.
func mismatch(path, what, was, is string) error {
	return fmt.Errorf("%s has measurements with the %s %s, not %s: use another file for --out",
		path, what, was, is)
}

// readPrevious reads the result in an existing file, and adds its peers to those of d. It fails if
// the file is of another machine, or has other peers under the same names. It returns nil if there
// is no file.
func readPrevious[Result any](
	path string, d *record.Document[Result], peers func(Result) map[string]peerInfo,
) (*Result, error) {
	before, err := record.Read[Result](path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot resume %s: %w; use another file for --out", path, err)
	case before.Machine != d.Machine:
		return nil, mismatch(path, "machine", before.Machine, d.Machine)
	}
	return &before.Result, addPeers(path, peers(before.Result), peers(d.Result))
}
