package gomlx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/dustin/go-humanize"
	"pgregory.net/rapid"
)

// eachBackend runs a test on GoMLX's pure-Go backend, on XLA on the CPU, and on several devices
// of it.
func eachBackend(t *testing.T, test func(t *testing.T, backend string)) {
	t.Run("go", func(t *testing.T) { test(t, backend.Go) })
	t.Run("xla", func(t *testing.T) { test(t, xlatest.Backend(t)) })
	t.Run("members on 2 devices", func(t *testing.T) { test(t, xlatest.Devices(t, 2)) })
	t.Run("shards on 2 devices", func(t *testing.T) { test(t, xlatest.Devices(t, 2)+",shard") })
	t.Run("shards on 4 devices", func(t *testing.T) { test(t, xlatest.Devices(t, 4)+",shard") })
}

// newEngine opens an engine for the duration of a test.
func newEngine(t *testing.T, s Settings) *Engine {
	t.Helper()
	engine, err := New(s)
	require.NoError(t, err)
	t.Cleanup(engine.Close)
	return engine
}

var tolerance = enginetest.ToleranceOf(kge.Float32)

// TestConformance runs the conformance suite, on several devices in brief: TestPartsOnXLA has all
// recipes of QuatE on two shards, and members on devices have the programs of one device. On all backends
// resumed training gives the same bits as uninterrupted training. Only the pure-Go backend runs all
// of package autodiff; TestAutomaticGradients has the rest.
func TestConformance(t *testing.T) {
	eachBackend(t, func(t *testing.T, name string) {
		opened, scope := newEngine(t, Settings{Backend: name}), enginetest.Everything
		if opened.devices.Count > 1 {
			scope = enginetest.Brief
		}
		var engine kge.Engine = opened
		if name != backend.Go {
			engine = explicitOnly{opened}
		}
		enginetest.Run(t, engine, tolerance, scope)
		resumesExactly(t, engine, scope)
		t.Logf("compiled %d programs in %.0f s",
			opened.compilations.Load(), opened.CompileSeconds())
	})
}

// explicitOnly is an engine without the trainings of package autodiff.
type explicitOnly struct{ *Engine }

func (e explicitOnly) Supports(d *kge.Data, s kge.Settings, members []kge.Member) error {
	if !isExplicit(d, s, members) {
		return errors.New("package autodiff trains it")
	}
	return e.Engine.Supports(d, s, members)
}

// automaticOnly is an engine with only the trainings of package autodiff.
type automaticOnly struct{ *Engine }

func (e automaticOnly) Supports(d *kge.Data, s kge.Settings, members []kge.Member) error {
	if isExplicit(d, s, members) {
		return errors.New("the package's own graphs train it")
	}
	return e.Engine.Supports(d, s, members)
}

// TestAutomaticGradients runs the conformance suite in brief for the trainings of package autodiff,
// on XLA and, in parts of a few questions, on the pure-Go backend.
func TestAutomaticGradients(t *testing.T) {
	for name, settings := range map[string]func(t *testing.T) Settings{
		"xla":   func(t *testing.T) Settings { return Settings{Backend: xlatest.Backend(t)} },
		"parts": func(*testing.T) Settings { return Settings{Backend: backend.Go, Memory: 24 << 10} },
	} {
		t.Run(name, func(t *testing.T) {
			engine := newEngine(t, settings(t))
			enginetest.RunSupported(t, automaticOnly{engine}, tolerance, enginetest.Brief, 40)
			t.Logf("compiled %d programs in %.0f s",
				engine.compilations.Load(), engine.CompileSeconds())
		})
	}
}

func resumesExactly(t *testing.T, engine kge.Engine, scope enginetest.Scope) {
	t.Run("resumes exactly", func(t *testing.T) {
		xlatest.NeedSameBits(t, engine.Backend(kge.Float32))
		enginetest.ResumesFromState(t, engine, 0, scope)
		enginetest.ResumesTraining(t, engine)
	})
}

// TestConformanceInParts runs the conformance suite with populations and batches that are too
// large for memory and train in parts.
func TestConformanceInParts(t *testing.T) {
	for _, memory := range []int64{1, 200 << 10, 600 << 10} {
		t.Run(humanize.IBytes(uint64(memory)), func(t *testing.T) {
			engine := explicitOnly{inParts(t, backend.Go, memory)}
			enginetest.Run(t, engine, tolerance, enginetest.Everything)
			resumesExactly(t, engine, enginetest.Everything)
		})
	}
}

// TestPartsOnXLA tests training in parts on a backend that takes seconds to compile a step:
// gradients of one structure, in parts of one and of several triples, with all recipes on shards,
// and resuming populations in groups.
func TestPartsOnXLA(t *testing.T) {
	backend := xlatest.Backend(t)
	for _, c := range []struct {
		name     string
		backend  string
		memory   int64
		entities int
		scope    enginetest.Scope
	}{
		{"triple by triple", backend, 1, 14, enginetest.Brief},
		{"several triples", backend, 20 << 10, 40, enginetest.Brief},
		{"several triples of shards", xlatest.Devices(t, 2), 15 << 10, 41, enginetest.Everything},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := explicitOnly{inParts(t, c.backend, c.memory)}
			m := enginetest.Members()["quate"]
			for name, recipe := range enginetest.Recipes() {
				if !c.scope.Has(name, "quate") {
					continue
				}
				t.Run(name, func(t *testing.T) {
					s := kge.DefaultSettings()
					s.Dim, s.Batch, s.InitScale = 8, 9, 0.7
					recipe.Set(&s)
					m.Weights = recipe.Weights
					d := completion.Data(enginetest.RandomGraph(c.entities, 2, 25, 5))
					if err := cmp.Or(s.ValidateFor(m), engine.Supports(d, s, []kge.Member{m})); err != nil {
						t.Skip(err)
					}
					enginetest.CheckGradients(t, engine, d, s, m, tolerance, 2, 40)
				})
			}
		})
	}
	t.Run("groups", func(t *testing.T) {
		resumesExactly(t, explicitOnly{inParts(t, backend, 200<<10)}, enginetest.Brief)
	})
}

// inParts opens an engine with limited memory and checks at the end of the test that it reported
// training in parts.
func inParts(t *testing.T, backend string, memory int64) *Engine {
	t.Helper()
	note := ""
	t.Cleanup(func() {
		if t.Log(note); note == "" {
			t.Error("no training in parts was reported")
		}
	})
	return newEngine(t, Settings{
		Backend: backend, Memory: memory, Note: func(text string) { note = text },
	})
}

// TestPlan checks that a plan fits in memory, that a coarser one would not, and that the parts of a
// batch do not depend on the number of members.
func TestPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sizes{
			members:   rapid.IntRange(1, 32).Draw(t, "members"),
			entities:  rapid.IntRange(1, 50_000).Draw(t, "entities"),
			relations: rapid.IntRange(1, 500).Draw(t, "relations"),
			k:         rapid.IntRange(1, 6).Draw(t, "k"),
			batch:     rapid.IntRange(0, 1024).Draw(t, "batch"),
			slots:     rapid.IntRange(1, 2).Draw(t, "slots"),
			matrix:    rapid.IntRange(0, 64).Draw(t, "matrix"),
			derived:   rapid.IntRange(0, 5_000).Draw(t, "derived"),
			predicts:  rapid.Bool().Draw(t, "predicts"),
		}
		devices := backend.Devices{
			Count: rapid.IntRange(1, 8).Draw(t, "devices"), Shard: rapid.Bool().Draw(t, "shard"),
		}
		s.dim = s.k * rapid.IntRange(1, 200).Draw(t, "width")
		memory := rapid.Int64Range(1, 64<<30).Draw(t, "memory")
		whole, alone := s, s
		alone.members = 1
		lone, err := alone.plan(memory, devices)
		require.NoError(t, err)
		p, err := s.plan(memory, devices)
		if p.parts != lone.parts || p.shards != lone.shards {
			t.Fatalf("plan %+v for %d members, %+v for one", p, s.members, lone)
		}
		sharded := devices.Count > 1 && (devices.Shard || alone.step(1, s.batch) > memory)
		if sharded {
			s.entities = (s.entities + devices.Count - 1) / devices.Count
		} else {
			s.members = (s.members + devices.Count - 1) / devices.Count
		}
		if sharded != (p.shards == devices.Count && devices.Count > 1) || p.onDevice != s.members {
			t.Fatalf("plan %+v for %+v on %+v", p, whole, devices)
		}
		rows := (s.batch + p.parts - 1) / p.parts
		if err != nil {
			alone.entities = s.entities
			if s.step(1, rows) <= memory || alone.step(1, rows) > memory {
				t.Fatalf("plan %+v for %+v: %v", p, s, err)
			}
			var most int
			_, after, _ := strings.Cut(err.Error(), "at most ")
			_, scanned := fmt.Sscan(after, &most)
			require.NoError(t, scanned)
			for members, fits := range map[int]bool{most: true, most + 1: false} {
				whole.members = members
				if _, err := whole.plan(memory, devices); (err == nil) != fits {
					t.Fatalf("at most %d members, but %d: %v", most, members, err)
				}
			}
			return
		}
		if p.members < 1 || p.members > s.members || p.parts < 1 || p.parts > max(1, s.batch) ||
			(p.parts > 1 || sharded) && p.members > 1 {
			t.Fatalf("plan %+v for %+v", p, s)
		}
		if fits := s.step(p.members, rows) <= memory; !fits && p.parts < s.batch {
			t.Fatalf("plan %+v needs %d of %d bytes", p, s.step(p.members, rows), memory)
		}
		if p.parts == 1 && p.members < s.members && !sharded {
			groups := (s.members + p.members - 1) / p.members
			larger := (s.members + groups - 2) / max(1, groups-1)
			if s.step(larger, s.batch) <= memory {
				t.Fatalf("plan %+v has %d groups, but groups of %d would fit", p, groups, larger)
			}
		}
		cut := p.members < s.members || p.parts > 1
		if fits := s.step(s.members, s.batch) <= memory; fits && cut && !sharded {
			t.Fatalf("plan %+v splits although the step fits", p)
		}
		wants := p.parts > 1 || !sharded && cut || sharded && !devices.Shard
		if how, text := whole.note(p, memory, devices); wants != (how != "") || wants != (text != "") {
			t.Fatalf("plan %+v has the note %q", p, text)
		}
	})
}

// TestBatchNormNeedsWholeBatches checks that a batch that trains in parts is refused with batch
// normalization only.
func TestBatchNormNeedsWholeBatches(t *testing.T) {
	d := completion.Data(enginetest.Graph())
	s, m := kge.DefaultSettings(), kge.Member{Form: form.Core(2), Seed: 1, LearningRate: 0.1}
	s.Dim, s.Reciprocal = 8, true
	small := newEngine(t, Settings{Backend: backend.Go, Memory: 90 << 10})
	large := newEngine(t, Settings{Backend: backend.Go, Memory: 1 << 30})
	require.NoError(t, small.Supports(d, s, []kge.Member{m}))
	s.BatchNorm = true
	require.NoError(t, large.Supports(d, s, []kge.Member{m}))
	require.Error(t, small.Supports(d, s, []kge.Member{m}), "needs a whole batch", "set a smaller batch")
}

// TestBatchesOfNegativesAreWhole checks that ConvE trains with negative sampling if the questions of a
// batch fit in memory, whether or not they are whole blocks that share negatives.
func TestBatchesOfNegativesAreWhole(t *testing.T) {
	d := completion.Data(enginetest.Graph())
	c := form.ConvE{Height: 4, Filters: 4, Size: 2}.Form()
	s, m := kge.DefaultSettings(), kge.Member{Form: c, Seed: 1, LearningRate: 0.1}
	s.Dim, s.Reciprocal, s.Negatives, s.Epochs = 8, true, 8, 1
	engine := newEngine(t, Settings{Backend: backend.Go, Memory: 250 << 10})
	s.Batch = 50 // 100 questions, in blocks of 96
	require.NoError(t, engine.Supports(d, s, []kge.Member{m}))
	_, err := kge.Train(t.Context(), engine, kge.Job{Data: d, Settings: s, Members: []kge.Member{m}})
	require.NoError(t, err)
	s.Batch = 96
	err = engine.Supports(d, s, []kge.Member{m})
	require.Error(t, err, "needs a whole batch, but only 96 of its", "set a smaller batch")
	if strings.Contains(err.Error(), "engine cpu") {
		t.Errorf("%v: engine cpu does not train it", err)
	}
}

// TestBatchesAreMadeWhenNeeded checks that the first step does not wait for all batches of an epoch,
// whose examples would take much memory.
func TestBatchesAreMadeWhenNeeded(t *testing.T) {
	d, s := completion.Data(enginetest.Graph()), kge.DefaultSettings()
	s.Dim, s.Batch, s.Epochs = 8, 4, 1
	members := []kge.Member{kge.DefaultMember(structure.MustParse("complex"))}
	p, err := newEngine(t, Settings{Backend: backend.Go}).NewPopulation(d, s, members)
	require.NoError(t, err)
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	all, made := d.Batches(s, 1), 0
	counted := kge.Batches{Count: all.Count, Make: func(i int, memory []kge.Example) []kge.Example {
		made++
		cancel()
		return all.Make(i, memory)
	}}
	if _, err := p.Epoch(ctx, counted, []float64{0.1}); !errors.Is(err, context.Canceled) || made != 1 {
		t.Errorf("%d of %d batches were made, %v", made, all.Count, err)
	}
}

// TestNotesOnce checks that an engine notes a way of splitting populations once, with the memory on
// each of several devices.
func TestNotesOnce(t *testing.T) {
	var notes []string
	engine := newEngine(t, Settings{
		Backend: backend.Go, Note: func(text string) { notes = append(notes, text) },
	})
	s := sizes{members: 4, entities: 1000, relations: 10, dim: 8, k: 4, batch: 100, slots: 1}
	devices := backend.Devices{Count: 2}
	for _, batch := range []int{100, 101} {
		s.batch = batch
		memory := s.shard(2).step(1, batch) + 3*s.stateBytes()
		p, err := s.plan(memory, devices)
		require.NoError(t, err)
		engine.noteOnce(s.note(p, memory, devices))
	}
	if len(notes) != 1 || !strings.Contains(notes[0], " on each device") {
		t.Errorf("notes %q", notes)
	}
	engine.noteOnce("in another way", "text")
	if len(notes) != 2 {
		t.Errorf("notes %q lack another way", notes)
	}
}

// TestBfloat16 checks that bfloat16 products change losses only slightly and that training
// still fits the data. Automatic precision does not select bfloat16.
func TestBfloat16(t *testing.T) {
	eachBackend(t, func(t *testing.T, backend string) {
		t.Setenv(kge.PrecisionVariable, "")
		engine, g := newEngine(t, Settings{Backend: backend}), enginetest.Graph()
		settings := kge.DefaultSettings()
		settings.Dim, settings.Epochs, settings.Batch = 32, 30, 16
		results := func(asked, want kge.Precision) kge.Result {
			settings.Precision = asked
			report, err := kge.Train(t.Context(), engine, kge.Job{
				Data:     completion.Data(g),
				Settings: settings,
				Members:  []kge.Member{kge.DefaultMember(structure.MustParse("complex"))},
			})
			require.NoError(t, err)
			if report.Precision != want ||
				report.Results[0].Model.Training.Settings.Precision != want {
				t.Errorf("%v is resolved to %v, want %v", asked, report.Precision, want)
			}
			return report.Results[0]
		}
		float32Result := results(kge.AutoPrecision, kge.Float32)
		bfloat16Result := results(kge.Bfloat16, kge.Bfloat16)
		same := true
		for epoch, want := range float32Result.Loss {
			got := bfloat16Result.Loss[epoch]
			same = same && got == want
			if math.Abs(got-want) > 0.02*want+0.02 {
				t.Errorf("epoch %d: loss %v, in float32 %v", epoch, got, want)
			}
		}
		if same {
			t.Error("all losses equal those of float32: nothing was rounded")
		}
		evaluation, err := completion.Evaluate(t.Context(), engine, bfloat16Result.Model, g, "train",
			eval.Pessimistic)
		if err != nil || evaluation.Both.MRR < 0.9 {
			t.Errorf("MRR on the training triples is %.3f, error %v", evaluation.Both.MRR, err)
		}
	})
}

// TestRanksInChunks checks that triples ranked with several tables of scores, the last one
// padded, have the same ranks.
func TestRanksInChunks(t *testing.T) {
	eachBackend(t, func(t *testing.T, backend string) {
		g := enginetest.Graph()
		p := kge.Initialize(completion.Data(g), kge.Settings{Dim: 8, InitScale: 1},
			kge.Member{Structure: structure.MustParse("quate"), Seed: 5})
		ranker, err := newEngine(t, Settings{Backend: backend}).NewRanker(
			[]kge.Parameters{p, p}, kge.Float32)
		require.NoError(t, err)
		defer ranker.Close()
		rank := func() [][]eval.Ranked {
			ranks, err := ranker.Rank(t.Context(), g.Test, g.Known())
			require.NoError(t, err)
			return ranks
		}
		want := rank()
		defer func(before int) { minTableSize = before }(minTableSize)
		minTableSize = 2 * 2 * len(g.Entities) * 4 // 4 of 21 triples at a time
		if got := rank(); !reflect.DeepEqual(got, want) {
			t.Errorf("in chunks: %v, together: %v", got, want)
		}
	})
}

func TestStructureChangeCompilesNothing(t *testing.T) {
	eachBackend(t, func(t *testing.T, backend string) {
		engine := newEngine(t, Settings{Backend: backend})
		g := enginetest.Graph()
		settings := kge.DefaultSettings()
		settings.Dim, settings.Epochs, settings.Batch, settings.ValidateEvery = 8, 2, 16, 1
		train := func(s structure.Structure, rate float64) {
			member := kge.DefaultMember(s)
			member.LearningRate = rate
			if _, err := kge.Train(t.Context(), engine,
				kge.Job{Data: completion.Data(g), Settings: settings,
					Members: []kge.Member{member}}); err != nil {
				t.Fatal(err)
			}
		}
		train(structure.MustParse("distmult"), 0.3)
		first := engine.compilations.Load()
		if first < 2 {
			t.Fatalf("%d compilations, want at least a step and a ranking", first)
		}
		for _, named := range structure.Baselines() {
			train(named.Structure, 0.1)
		}
		if got := engine.compilations.Load(); got != first {
			t.Errorf("%d compilations after five more structures, want %d", got, first)
		}
		shared := completion.SharedJob{Graph: g, Settings: settings,
			Member: kge.Member{LearningRate: 0.1}}
		shared.Settings.ValidateEvery = 0
		for _, named := range structure.Baselines() {
			shared.Candidates = append(shared.Candidates, named.Structure)
		}
		if _, err := completion.TrainSharedEmbeddings(t.Context(), engine, shared); err != nil {
			t.Fatal(err)
		}
		if got := engine.compilations.Load(); got != first {
			t.Errorf("%d compilations after shared training, want %d", got, first)
		}
		settings.Dim = 12
		train(structure.MustParse("distmult"), 0.3)
		if engine.compilations.Load() == first {
			t.Error("the compilation of a new shape is not counted")
		}
	})
}

func TestUnknownBackend(t *testing.T) {
	for _, name := range []string{"cuda", "xla:/nowhere/cuda.so"} {
		if _, err := New(Settings{Backend: name}); err == nil {
			t.Errorf("New(%q) gave no error", name)
		}
	}
}
