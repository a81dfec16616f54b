package gomlx

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/autodiff"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Settings selects the backend of the engine and its limits. The zero value selects GoMLX's
// pure-Go backend.
type Settings struct {
	// Backend is "go" for GoMLX's pure-Go backend, also if it is "" or "auto". "xla:cpu",
	// "xla:cuda" and "xla:" with the absolute path of a PJRT plugin need a build with cgo and
	// the plugin, which is never downloaded. The option devices=N uses several devices.
	Backend string
	// Memory limits the bytes for tables, gradients and scores on each device; 0 means
	// [backend.Memory]. Larger populations and batches are trained in parts.
	Memory int64
	// Note, if set, receives one-line messages for the user, each once.
	Note func(text string)
}

// Engine trains and ranks populations on one GoMLX backend. It caches compiled programs, so
// create one and share it.
type Engine struct {
	settings     Settings
	backend      compute.Backend
	devices      backend.Devices
	compilations atomic.Int64

	mu       sync.Mutex
	programs map[any]*graph.Exec // by the settings that determine their operations

	noted map[string]bool // ways of splitting populations

	compiling    int // programs at present
	compileStart time.Time
	compileTime  time.Duration // while any program was compiling
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
	return &Engine{
		settings: s, backend: opened, devices: backend.DevicesOf(s.Backend),
		programs: map[any]*graph.Exec{}, noted: map[string]bool{},
	}, nil
}

// noteOnce notes how a population is split, unless another one was split in the same way.
func (e *Engine) noteOnce(how, text string) {
	e.mu.Lock()
	isNew := how != "" && !e.noted[how]
	e.noted[how] = true
	e.mu.Unlock()
	if isNew {
		e.settings.Note(text)
	}
}

// inOrder makes GoMLX's pure-Go backend execute operations sequentially, each on all cores.
// Parallel operations in a loop can deadlock while they wait for each other's workers
// (compute v0.1.3).
func inOrder(name string) string {
	kind, options, _ := strings.Cut(name, ":")
	if kind != backend.Go {
		return name
	}
	return kind + ":" + strings.TrimPrefix(options+",ops_sequential", ",") // the last option counts
}

// program returns the program of a key, for all shapes of its inputs. On the first call it creates
// it from build. It runs on any one device, or on all if its tables are sharded, which the key says.
func (e *Engine) program(
	key any, name string, build func(g *graph.Graph, inputs []*graph.Node) []*graph.Node,
	of signature, on sharding,
) (*graph.Exec, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if exec, found := e.programs[key]; found {
		return exec, nil
	}
	counting := func(g *graph.Graph, nodes []*graph.Node) []*graph.Node {
		e.compilations.Add(1)
		return build(g, nodes)
	}
	exec, err := graph.NewExecCanonical(e.backend, counting, of.inputs, of.outputs, false, false, true)
	if err != nil {
		return nil, err
	}
	if on.devices > 1 {
		if err := on.partition(exec, of); err != nil {
			return nil, err
		}
	}
	e.programs[key] = exec.WithName(name).SetMaxCache(-1)
	return exec, nil
}

// compile compiles a program for the shapes of its inputs, those of all shards, unless it is
// compiled already.
func (e *Engine) compile(what string, exec *graph.Exec, inputs []*tensors.Tensor) error {
	var all []shapes.Shape
	for _, t := range inputs {
		all = append(all, t.Shape())
	}
	e.countCompiling(1)
	_, err := exec.Compile(all...)
	e.countCompiling(-1)
	if err != nil {
		return fmt.Errorf("compile %s: %w", what, outOfMemory(err))
	}
	return nil
}

// countCompiling changes the number of programs that are compiling, and measures the time with any.
func (e *Engine) countCompiling(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.compiling == 0 {
		e.compileStart = time.Now()
	}
	if e.compiling += change; e.compiling == 0 {
		e.compileTime += time.Since(e.compileStart)
	}
}

// Compilations returns the number of compiled programs: one for each shape, none for a new
// structure unless the messages of an encoder have it.
func (e *Engine) Compilations() int64 { return e.compilations.Load() }

// CompileSeconds returns the time in which at least one program was compiling.
func (e *Engine) CompileSeconds() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.compileTime.Seconds()
}

// outOfMemory adds a fix to errors that report a full device.
func outOfMemory(err error) error {
	text := err.Error()
	if strings.Contains(text, "RESOURCE_EXHAUSTED") ||
		strings.Contains(strings.ToLower(text), "out of memory") {
		return fmt.Errorf("%w: less device memory is free than assumed; "+
			"lower the memory limit, batch size, dimension or population size, or use more devices", err)
	}
	return err
}

// finalize frees tensors. It ignores errors: a tensor donated to a failed step is already freed.
func finalize(all ...*tensors.Tensor) {
	for _, t := range all {
		if t != nil {
			_ = t.FinalizeAll()
		}
	}
}

// Supports implements [kge.Engine]. Package autodiff trains what the engine itself does not.
func (e *Engine) Supports(d *kge.Data, s kge.Settings, members []kge.Member) error {
	if isExplicit(d, s, members) {
		return e.checkNorm(d, s, members)
	}
	return autodiff.Supports(compiler{e}, d, s, members)
}

// Precision implements [kge.Engine]. Auto resolves to float32, because the engine does not know
// whether bfloat16 products are faster. Ranks are always computed in float32.
func (e *Engine) Precision(
	requested kge.Precision, f form.Form, entities, dim int,
) (kge.Precision, error) {
	return requested.Resolve(f, entities, dim, nil, false)
}

// supportsForm returns an error for a form that the engine does not have.
func supportsForm(f form.Form) error {
	if isExplicitForm(f) {
		return nil
	}
	return autodiff.SupportsForm(f)
}

// Name returns "gomlx".
func (e *Engine) Name() string { return "gomlx" }

// Backend returns the name of the backend, with "auto" resolved.
func (e *Engine) Backend(kge.Precision) string { return e.settings.Backend }

// Close implements [kge.Engine].
func (e *Engine) Close() {
	for _, exec := range e.programs {
		exec.Finalize()
	}
	e.backend.Finalize()
}
