package classify

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Trainer trains populations on one graph with one setting. It keeps its compiled
// programs, which serve all structures with one number of chunks; so make one and
// use it for all members. A Trainer does one thing at a time.
type Trainer struct {
	graph    *rdf.Graph
	settings Settings
	model    *model
	native   *nativeModel // nil where GoMLX computes
	options  Options

	backend   compute.Backend
	constants []*tensors.Tensor
	together  int // runs of a call; 0 for all
	workers   int // calls at a time

	mu       sync.Mutex
	programs map[string]*graph.Exec
}

// Options are how a [Trainer] calculates, which does not matter for what comes out
// but for rounding. The zero value is fine.
type Options struct {
	// Backend is what GoMLX runs on: a name that [backend.Open] takes, as "go", which
	// is its own; "" is not GoMLX, but the loops of the engine cpu, which are the
	// fastest without a GPU.
	Backend string
	// OnProgress, when set, is told how many of the epochs that [Trainer.Train] may
	// take are done; those that it need not take count as done.
	OnProgress func(done, total int)
}

// NewTrainer readies a graph for a setting.
func NewTrainer(g *rdf.Graph, s Settings, o Options) (*Trainer, error) {
	if err := Check(g, s); err != nil {
		return nil, err
	}
	t := &Trainer{graph: g, settings: s, options: o, workers: 1, programs: map[string]*graph.Exec{}}
	if o.Backend == "" {
		t.native = newNativeModel(newModel(g, s))
		t.model, t.together, t.workers = t.native.model, 1, runtime.GOMAXPROCS(0)
		return t, nil
	}
	kind, _, _ := strings.Cut(o.Backend, ":")
	name := o.Backend
	if kind == backend.Go {
		// Its operations use one core at best, so models are trained side by side.
		t.together, t.workers = 1, runtime.GOMAXPROCS(0)
		if name == backend.Go {
			name += ":ops_sequential"
		}
	}
	var err error
	if t.backend, err = backend.Open(name); err != nil {
		return nil, err
	}
	t.model = newModel(g, s)
	t.constants = constants[float32](t.model.passages)
	for _, c := range t.constants { // at once, for calls side by side would all do it
		if err := c.ToDevice(t.backend, 0); err != nil {
			t.Close()
			return nil, fmt.Errorf("cannot place the graph: %w", err)
		}
	}
	return t, nil
}

// Close frees what the trainer holds.
func (t *Trainer) Close() {
	for _, program := range t.programs {
		program.Finalize()
	}
	finalize(t.constants...)
	if t.backend != nil {
		t.backend.Finalize()
	}
}

// program is a compiled program, made once for each number of runs and of chunks.
func (t *Trainer) program(name string, inputs, outputs int, build func(nodes []*graph.Node) []*graph.Node) (*graph.Exec, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if program, there := t.programs[name]; there {
		return program, nil
	}
	program, err := graph.NewExecCanonical(t.backend, func(_ *graph.Graph, nodes []*graph.Node) []*graph.Node { return build(nodes) }, inputs, outputs, false, true, true)
	if err != nil {
		return nil, fmt.Errorf("cannot make the program %s: %w", name, err)
	}
	t.programs[name] = program.WithName(name).SetMaxCache(-1)
	return program, nil
}

func (t *Trainer) stepProgram(dropout bool) (*graph.Exec, error) {
	p := len(t.model.parameters)
	name, inputs := "classify-step", 3*p+1+len(t.constants)+4
	if dropout {
		name, inputs = name+"-dropout", inputs+t.settings.Layers
	}
	return t.program(name, inputs, 3*p+1, func(nodes []*graph.Node) []*graph.Node { return t.model.step(nodes, dropout) })
}

func (t *Trainer) logitsProgram() (*graph.Exec, error) {
	return t.program("classify-logits", len(t.model.parameters)+1+len(t.constants), 1, t.model.logits)
}
