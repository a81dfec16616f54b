package gomlx

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Settings choose what the engine runs on, and how. The zero value runs on
// GoMLX's own backend.
type Settings struct {
	// Backend is "go", GoMLX's own, which needs nothing; "xla:cpu", "xla:cuda" and
	// "xla:" with the absolute path of a PJRT plugin need a build with cgo and that
	// plugin, which is never downloaded. "" and "auto" are "go".
	Backend string
	// Memory is how many bytes tables, gradients and scores may take; 0 stands for
	// what [backend.Memory] thinks. A population or a batch that would take more is
	// trained in parts.
	Memory int64
	// Note, when set, is told what the user may want to know, in a line.
	Note func(text string)
}

// Engine runs populations on one GoMLX backend. It keeps its compiled programs,
// so make one and use it for everything.
type Engine struct {
	settings     Settings
	backend      compute.Backend
	compilations atomic.Int64 // so far
	compiling    atomic.Int64 // nanoseconds that they took

	mu       sync.Mutex
	programs map[any]*graph.Exec // by what decides their operations
}

// New opens the backend of the settings.
func New(s Settings) (*Engine, error) {
	if s.Backend == "" || s.Backend == "auto" {
		s.Backend = backend.Go
	}
	opened, err := backend.Open(inOrder(s.Backend))
	if err != nil {
		return nil, err
	}
	if s.Memory <= 0 {
		s.Memory = backend.Memory(s.Backend)
	}
	if s.Note == nil {
		s.Note = func(string) {}
	}
	return &Engine{settings: s, backend: opened, programs: map[any]*graph.Exec{}}, nil
}

// inOrder makes GoMLX's own backend compute one operation after the other, each on
// all cores. Side by side, operations of a loop can wait for each other's workers
// for ever (compute v0.1.3).
func inOrder(name string) string {
	kind, options, _ := strings.Cut(name, ":")
	if kind != backend.Go {
		return name
	}
	return kind + ":" + strings.TrimPrefix(options+",ops_sequential", ",") // the last option counts
}

// program is that of a key for any number of shapes, made once. Its compilations are
// counted: one for each new shape, none for a new structure.
func (e *Engine) program(key any, name string, build func(g *graph.Graph, inputs []*graph.Node) []*graph.Node, inputs, outputs int) (*graph.Exec, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if exec, there := e.programs[key]; there {
		return exec, nil
	}
	counting := func(g *graph.Graph, nodes []*graph.Node) []*graph.Node {
		e.compilations.Add(1)
		return build(g, nodes)
	}
	exec, err := graph.NewExecCanonical(e.backend, counting, inputs, outputs, false, false, true)
	if err != nil {
		return nil, err
	}
	e.programs[key] = exec.WithName(name).SetMaxCache(-1)
	return exec, nil
}

// compile compiles a program for the shapes of its inputs, where it is not.
func (e *Engine) compile(what string, exec *graph.Exec, inputs []*tensors.Tensor) error {
	var all []shapes.Shape
	for _, t := range inputs {
		all = append(all, t.Shape())
	}
	began := time.Now()
	_, err := exec.Compile(all...)
	e.compiling.Add(int64(time.Since(began)))
	if err != nil {
		return fmt.Errorf("cannot compile %s: %w", what, outOfMemory(err))
	}
	return nil
}

// Compilations is how many programs were compiled so far: one for each new shape, none for
// a new structure.
func (e *Engine) Compilations() int64 { return e.compilations.Load() }

// CompileSeconds is how long programs have been compiled so far.
func (e *Engine) CompileSeconds() float64 { return time.Duration(e.compiling.Load()).Seconds() }

// outOfMemory adds the mend to an error that says that the device is full.
func outOfMemory(err error) error {
	if strings.Contains(err.Error(), "RESOURCE_EXHAUSTED") || strings.Contains(strings.ToLower(err.Error()), "out of memory") {
		return fmt.Errorf("%w: the device has less memory free than was thought; allow less of it, or take smaller batches, dimensions or populations", err)
	}
	return err
}

// finalize frees tensors; one whose memory went to a failed step has nothing to free.
func finalize(all ...*tensors.Tensor) {
	for _, t := range all {
		_ = t.FinalizeAll()
	}
}

// Supports implements [kge.Engine]: bilinear models of triples.
func (e *Engine) Supports(d *kge.Data, s kge.Settings, members []kge.Member) error {
	switch {
	case !d.BothWays:
		return errors.New("the engine gomlx learns triples, no paths: use the engine cpu")
	case s.Negatives > 0:
		return errors.New("triples are learnt among all entities: leave negatives at 0")
	case s.SparseGradients > 0:
		return errors.New("the engine gomlx moves all entities by each question: leave sparse-gradients at 0, or use the engine cpu")
	case s.Among(len(d.Entities)) < len(d.Entities):
		return errors.New("the engine gomlx learns answers among all entities: leave sampled-softmax at 0, or use the engine cpu")
	case s.AnswersPerQuery > 0:
		return errors.New("the engine gomlx learns a triple both ways in one step: leave answers-per-query at 0, or use the engine cpu")
	case s.Frequency > 0:
		return errors.New("the engine gomlx does not weigh answers: leave frequency at 0, or use the engine cpu")
	}
	for _, m := range members {
		if err := supports(m.Form); err != nil {
			return err
		}
	}
	return nil
}

// Precision implements [kge.Engine]. Whether products of bfloat16 numbers pay is not known
// here, so auto is float32. Ranks are always counted in float32.
func (e *Engine) Precision(asked kge.Precision, f form.Form, entities, dim int) (kge.Precision, error) {
	return asked.Resolve(f, entities, dim, nil, false)
}

func supports(f form.Form) error {
	if f != form.Bilinear {
		return fmt.Errorf("the engine gomlx has no model %v: use the engine cpu", f)
	}
	return nil
}

// Name is "gomlx".
func (e *Engine) Name() string { return "gomlx" }

// Backend is the name that the engine was opened with, "auto" resolved.
func (e *Engine) Backend(kge.Precision) string { return e.settings.Backend }

// Close implements [kge.Engine].
func (e *Engine) Close() {
	for _, exec := range e.programs {
		exec.Finalize()
	}
	e.backend.Finalize()
}

// triplesOnly is the part of a ranker that the engine lacks.
type triplesOnly struct{}

// Scores implements [kge.Ranker]: it is always an error.
func (triplesOnly) Scores(context.Context, int, []kge.Question, func(int, []float32)) error {
	return errors.New("the engine gomlx scores no paths: use the engine cpu")
}
