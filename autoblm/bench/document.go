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

// document is a result file, as the others in notebooks/results.
type document = record.Document[result]

// result is what was measured.
type result struct {
	Threads int    `json:"threads"`
	Engine  string `json:"engine"`
	Backend string `json:"backend"`
	// Limit is the most billions of operations a second that a core could do in products
	// of bfloat16 numbers, 0 where that is not known.
	Limit float64  `json:"limit_gflops,omitempty"`
	Cases []timing `json:"cases,omitempty"`
	// Peers are those that took part, by name.
	Peers map[string]played `json:"peers,omitempty"`
	// LeftOut are the cases that were not measured, and why.
	LeftOut []string `json:"left_out,omitempty"`
	// Notes are what the engine had to say.
	Notes []string `json:"notes,omitempty"`
}

// played is a peer that took part.
type played struct {
	Command string `json:"command"`
	On      string `json:"on,omitempty"` // its version and device
}

// timing is what became of a case.
type timing struct {
	timed
	// Ours are seconds for a member, by precision, and Peers those of peers, by name, in the
	// order they were taken. Some peers are timed once; see --fastest.
	Ours  map[string][]float64 `json:"ours"`
	Peers map[string][]float64 `json:"peers,omitempty"`
	// Dropped says of precisions and peers that could not go on why.
	Dropped map[string]string `json:"dropped,omitempty"`
	// Fresh are ours for a model as training begins, where Ours are for a trained one, whose
	// MRR is told.
	Fresh map[string][]float64 `json:"fresh,omitempty"`
	MRR   float64              `json:"mrr,omitempty"`
	// Precision is the one of ours that is compared: what auto comes to, where that was timed.
	Precision string `json:"precision"`
	// Fastest is the peer with the least median, and Ratio ours to it; RatioFloat32 is that to
	// our own float32.
	Fastest      string  `json:"fastest,omitempty"`
	Ratio        float64 `json:"ratio,omitempty"`
	RatioFloat32 float64 `json:"ratio_float32,omitempty"`
	// GFLOPS is our arithmetic a second, in billions, and Share that of the limit of all
	// threads, where it is done in bfloat16.
	GFLOPS float64 `json:"gflops"`
	Share  float64 `json:"share,omitempty"`
	// Compile is how many seconds our programs were compiled, beside that.
	Compile float64 `json:"compile,omitempty"`
	// OurMemory and PeerMemory are the most bytes that each took on the GPU, or 0
	// where nothing tells.
	OurMemory  int64 `json:"our_memory,omitempty"`
	PeerMemory int64 `json:"peer_memory,omitempty"`
	// Command and Date are those by which the case was measured: a file may hold those of
	// several commands.
	Command string `json:"command"`
	Date    string `json:"date"`
}

const float32s, bfloat16s = "float32", "bfloat16"

// sum adds what follows from the times and from the arithmetic for a member.
func (t *timing) sum(gflop, limit float64, threads int) {
	if len(t.Ours[t.Precision]) == 0 {
		t.Precision = slices.Min(slices.Collect(maps.Keys(t.Ours)))
	}
	ours := record.Median(t.Ours[t.Precision])
	t.GFLOPS = gflop / ours
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

// ranked are the names of the peers, the fastest first.
func (t *timing) ranked() []string {
	names := slices.Sorted(maps.Keys(t.Peers))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(record.Median(t.Peers[a]), record.Median(t.Peers[b])) })
	return names
}

// put has a case, in place of what was measured of it before, and in the order of all.
func (r *result) put(t timing, all []timed) {
	r.forget(t.ID)
	r.Cases = append(r.Cases, t)
	place := func(t timing) int { return slices.IndexFunc(all, func(c timed) bool { return c.ID == t.ID }) }
	slices.SortStableFunc(r.Cases, func(a, b timing) int { return cmp.Compare(place(a), place(b)) })
}

// forget drops a case.
func (r *result) forget(id string) {
	r.Cases = slices.DeleteFunc(r.Cases, func(t timing) bool { return t.ID == id })
	r.stay(id)
}

// stay drops that a case was left out.
func (r *result) stay(id string) {
	r.LeftOut = slices.DeleteFunc(r.LeftOut, func(why string) bool { return strings.HasPrefix(why, id+":") })
}

// goOn takes over what a file holds of other cases. There may be no file; one of another
// machine, or whose peers are others by the same names, is an error.
func goOn(d *document, path string) error {
	before, err := already[result](path, d.Machine)
	switch {
	case before == nil || err != nil:
		return err
	case before.Result.Limit != d.Result.Limit:
		return another(path, "limit", fmt.Sprint(before.Result.Limit), fmt.Sprint(d.Result.Limit))
	}
	if err := samePeers(path, before.Result.Peers, d.Result.Peers); err != nil {
		return err
	}
	d.Result.Cases, d.Result.LeftOut, d.Result.Notes = before.Result.Cases, before.Result.LeftOut, before.Result.Notes
	return nil
}

// samePeers is an error where two peers of one name have other commands.
func samePeers(path string, before, now map[string]played) error {
	for name, p := range before {
		if other, here := now[name]; here && other.Command != p.Command {
			return another(path, "peer "+name, p.Command, other.Command)
		}
		if _, here := now[name]; !here || now[name].On == "" {
			now[name] = p
		}
	}
	return nil
}

// another is the error where a file is of something else.
func another(path, what, was, is string) error {
	return fmt.Errorf("%s has what was measured with the %s %s, and this is %s: give --out another file", path, what, was, is)
}

// already is what a file holds that was measured on the same machine; nil without a file.
func already[Result any](path, machine string) (*record.Document[Result], error) {
	d, err := record.Read[Result](path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot go on with %s: %w: give --out another file", path, err)
	case d.Machine != machine:
		return nil, another(path, "machine", d.Machine, machine)
	}
	return &d, nil
}
