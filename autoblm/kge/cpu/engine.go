package cpu

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/mapped"
)

// Engine trains and ranks on the cores of this machine. It has no state between calls and is
// safe for concurrent use.
type Engine struct {
	threads  int
	kernels  *kernel.Set
	bf16Sets []*kernel.BF16Set // fastest first
	tables   mapped.Folder     // of entities in training; in memory if it has no path
}

// maxThreads limits the memory for scratch buffers.
const maxThreads = 1024

// New returns an engine with a number of threads, up to 1024; 0 means GOMAXPROCS.
func New(threads int) *Engine {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Engine{
		threads:  min(threads, maxThreads),
		kernels:  kernel.Sets()[0],
		bf16Sets: kernel.BF16Sets(),
	}
}

// WithTables returns an engine that trains with the tables of entities in files of a folder. The
// files have no names, and end with the process.
func (e *Engine) WithTables(folder string) *Engine {
	other := *e
	other.tables = mapped.Folder{Path: folder}
	return &other
}

// HasTablesInFiles implements [kge.FileEngine].
func (e *Engine) HasTablesInFiles() bool { return e.tables.Path != "" }

// NewTable implements [kge.FileEngine].
func (e *Engine) NewTable(n int) ([]float32, error) { return e.tables.New(n) }

var _ kge.Engine = (*Engine)(nil)

// Name returns [kge.NativeEngine].
func (e *Engine) Name() string { return kge.NativeEngine }

// Close does nothing: the engine holds no resources.
func (e *Engine) Close() {}

// Backend returns the name of the instruction set: "avx512", "avx2" or "go". In bfloat16 it
// also names the kernels of products, which sum in different orders: "amx", "avx512-bf16" or
// "go", as in "avx512+amx".
func (e *Engine) Backend(p kge.Precision) string {
	if set := e.bf16(p); set != nil {
		return e.kernels.Name + "+" + set.Name
	}
	return e.kernels.Name
}

// Precision implements [kge.Engine]. Products in bfloat16 need AMX or AVX512-BF16; on some
// processors AVX512-BF16 is slower than float32.
func (e *Engine) Precision(
	requested kge.Precision, f form.Form, entities, dim int,
) (kge.Precision, error) {
	var lacking error
	if e.bf16Sets[0].Name == kernel.PortableBF16().Name {
		lacking = errors.New("this processor has no fast products in bfloat16")
	}
	return requested.Resolve(f, entities, dim, lacking, e.bf16Sets[0].Faster)
}

// bf16 returns the kernels of products in a precision; nil for float32.
func (e *Engine) bf16(p kge.Precision) *kernel.BF16Set {
	if p == kge.Bfloat16 {
		return e.bf16Sets[0]
	}
	return nil
}

// Supports implements [kge.Engine].
func (e *Engine) Supports(d *kge.Data, s kge.Settings, members []kge.Member) error {
	if err := checkForm(s.FormOf(members[0])); err != nil {
		return err
	}
	if s.Encoder != kge.NoEncoder {
		return fmt.Errorf("engine cpu does not train the encoder %v; use engine gomlx", s.Encoder)
	}
	if _, ok := members[0].Form.Neural(); ok {
		return fmt.Errorf("engine cpu ranks with %v, but does not train it: use engine gomlx", members[0].Form)
	}
	if f := s.FormOf(members[0]); d.BothDirections && s.Negatives > 0 {
		if f.HasNorm() {
			return errors.New("batch normalization has no negative sampling on triples: " +
				"switch batch-norm off, or leave negatives at 0")
		}
		if d.Answers == nil {
			return errors.New("the data lack the training answers of queries: leave negatives at 0")
		}
	}
	if !d.BothDirections && s.Loss != kge.LogLoss {
		return errors.New("only triples train with bce, not paths: leave loss at log-loss")
	}
	if err := s.CheckTemperature(d); err != nil {
		return err
	}
	if !d.BothDirections && s.BatchNorm {
		return errors.New("only triples train with batch normalization, not paths: switch batch-norm off")
	}
	if err := s.CheckTeacher(d); err != nil {
		return err
	}
	if s.Buckets < 2 {
		return nil
	}
	if !d.BothDirections {
		return errors.New("only triples train in buckets: leave buckets at 0")
	}
	least := len(d.Entities) / s.Buckets * min(s.Buckets, kge.LoadedBuckets)
	if least <= s.SampledSoftmax {
		return fmt.Errorf("%d buckets have %d entities in memory, and sampled-softmax draws %d: "+
			"use fewer buckets", s.Buckets, least, s.SampledSoftmax)
	}
	return nil
}
