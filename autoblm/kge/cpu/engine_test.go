package cpu

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/require"
)

func TestConformance(t *testing.T) {
	for i, set := range kernel.Sets() {
		for _, threads := range [][]int{{1, 3}, {2}}[min(i, 1)] {
			t.Run(fmt.Sprintf("%s/%d threads", set.Name, threads), func(t *testing.T) {
				enginetest.Run(t, &Engine{threads: threads, kernels: set, bf16Sets: kernel.BF16Sets()}, 1e-5,
					enginetest.Everything)
			})
		}
	}
}

// TestBackend checks that only the name for bfloat16 has the kernels that only bfloat16 uses.
func TestBackend(t *testing.T) {
	vectors := kernel.Sets()[0].Name
	for _, unit := range kernel.BF16Sets() {
		e := &Engine{threads: 1, kernels: kernel.Sets()[0], bf16Sets: []*kernel.BF16Set{unit}}
		if in32, in16 := e.Backend(kge.Float32), e.Backend(kge.Bfloat16); in32 != vectors ||
			in16 != vectors+"+"+unit.Name {
			t.Errorf("%s in float32, %s in bfloat16 by %s", in32, in16, unit.Name)
		}
	}
}

// TestResume checks that a resumed training has bitwise the same result, with any threads.
func TestResume(t *testing.T) {
	for _, threads := range []int{1, 2} {
		enginetest.ResumesFromState(t, New(threads), 0, enginetest.Everything)
		enginetest.ResumesTraining(t, New(threads))
	}
}

// graph has several units in a batch, and several tiles of entities and of
// relations.
func graph() *datasets.Graph { return enginetest.RandomGraph(450, 200, 130, 1) }

func members(n int) []kge.Member {
	var all []kge.Member
	for i := range n {
		named := structure.Baselines()[i%5]
		all = append(all, kge.Member{Structure: named.Structure, Seed: uint64(i), LearningRate: 0.2,
			Weights: kge.Weights{N3: 0.01 * float64(i%2)}})
	}
	return all
}

// train returns the losses and the embeddings of all members after some epochs.
func train(t *testing.T, p *population, epochs []kge.Batches) (losses [][]float64,
	all []kge.Parameters) {
	t.Helper()
	for _, batches := range epochs {
		epoch, err := p.Epoch(t.Context(), batches, slices.Repeat([]float64{0.2}, p.Models()))
		require.NoError(t, err)
		losses = append(losses, epoch.Loss)
	}
	for i := range p.Models() {
		parameters, err := p.Parameters(i)
		require.NoError(t, err)
		all = append(all, parameters)
	}
	return losses, all
}

func settings() kge.Settings {
	s := kge.DefaultSettings()
	s.Dim, s.Batch = 24, 100
	return s
}

// inBothPrecisions names the cases of TestSameBits that also run in bfloat16, whose kernels in Go are
// slow: units and tiles are the same for all forms and recipes.
var inBothPrecisions = []string{"plain", "everything", "grouped, all", "few slopes and everything",
	"quate by paths, 0 negatives", "taught, grouped"}

// TestSameBits checks that neither threads nor other members nor the size of kept exponentials
// change a bit, with every part of a recipe and with none.
func TestSameBits(t *testing.T) {
	triples := func(name string, recipe enginetest.Recipe) {
		t.Run(name, func(t *testing.T) {
			d, s, all := enginetest.Triples(graph()), settings(), members(5)
			recipe.Set(&s)
			for i := range all {
				if i%2 == 0 { // the others have little in common with them
					all[i].Weights = recipe.Weights
				}
			}
			sameBits(t, name, d, s, all, []kge.Batches{d.Batches(s, 1), d.Batches(s, 2)})
		})
	}
	triples("plain", enginetest.Recipe{Set: func(*kge.Settings) {}})
	for name, recipe := range fewSlopes() {
		triples(name, recipe)
	}
	for _, name := range []string{"everything", "everything not reciprocal", "sampled softmax",
		"reciprocal sampled softmax", "grouped, all", "grouped, sampled",
		"taught, all", "taught, grouped", "taught, sampled", "self-adversarial", "bce, dropout"} {
		triples(name, enginetest.Recipes()[name])
	}
	d, err := enginetest.Paths(t, 500, 120,
		1500).Training(query.Paths{Hops: []int{1, 2, 3}, AnswerPower: 0.5})
	require.NoError(t, err)
	for name, m := range enginetest.Members() {
		for _, negatives := range []int{0, 7} {
			name := fmt.Sprintf("%s by paths, %d negatives", name, negatives)
			t.Run(name, func(t *testing.T) {
				s, m := kge.DefaultSettings(), m
				s.Dim, s.Batch, s.Negatives, s.Reciprocal = 10*max(1, m.Structure.K()), 199, negatives,
					m.Form != form.GQE
				if negatives == 0 {
					m.N3 = 0.01
				}
				if negatives == 0 && m.Form.Capabilities().Products {
					s.Dropout, m.Products = 0.2, 0.05
				}
				other := m
				other.Seed, other.Weights = 8, kge.Weights{L2: 0.02}
				sameBits(t, name, d, s, []kge.Member{m, other},
					[]kge.Batches{ofEachLength(d.Batches(s, 1)), ofEachLength(d.Batches(s, 2))})
			})
		}
	}
}

// ofEachLength returns the first full batch of paths of each length.
func ofEachLength(batches kge.Batches) kge.Batches {
	var chosen [][]kge.Example
	seen := map[int]bool{}
	for _, batch := range batches.All() {
		if hops := len(batch[0].Path); !seen[hops] && len(batch) == 199 {
			chosen, seen[hops] = append(chosen, batch), true
		}
	}
	return kge.BatchesOf(chosen...)
}

func sameBits(t *testing.T, name string, d *kge.Data, s kge.Settings, all []kge.Member,
	epochs []kge.Batches) {
	for _, set := range kernel.Sets() {
		sameBitsBy(t, Engine{kernels: set, bf16Sets: kernel.BF16Sets()}, d, s, all, epochs)
	}
	if slices.Contains(inBothPrecisions, name) {
		s.Precision = kge.Bfloat16
		sameBitsBy(t, *bfloat16Engines(1)[0].Engine, d, s, all, epochs)
	}
}

func sameBitsBy(t *testing.T, engine Engine, d *kge.Data, s kge.Settings, all []kge.Member,
	epochs []kge.Batches) {
	t.Helper()
	by := engine.kernels.Name + ", " + engine.bf16Sets[0].Name + ", " + s.Precision.String()
	populated := func(threads int, m []kge.Member) *population {
		engine := engine
		engine.threads = threads
		p, err := engine.NewPopulation(d, s, m)
		require.NoError(t, err)
		return p.(*population)
	}
	losses, want := train(t, populated(1, all), epochs)
	same := func(what string, p *population) {
		t.Helper()
		otherLosses, got := train(t, p, epochs)
		if !reflect.DeepEqual(losses, otherLosses) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s give other bits than one with room for all units", by, what)
		}
	}
	for _, threads := range []int{3, 8} { // two train each member alone
		same(fmt.Sprint(threads, " threads"), populated(threads, all))
	}
	for i := range all {
		_, alone := train(t, populated(2, all[i:i+1]), epochs)
		if !reflect.DeepEqual(alone[0], want[i]) {
			t.Errorf("%s: member %d alone has other bits than among others", by, i)
		}
	}
	if s.SparseGradients > 0 { // of few slopes there is room for all units
		return
	}
	for threads := range min(2, populated(1, all).needs.units-1) {
		narrow := populated(1, all)
		narrow.perThread[0] = newWorkspace(narrow.needs, 1+threads, 0)
		if kept := len(narrow.perThread[0].active); kept != 1+threads || kept == narrow.needs.units {
			t.Fatalf("%d of %d units kept, want %d", kept, narrow.needs.units, 1+threads)
		}
		same(fmt.Sprint(1+threads, " threads with room for a unit each"), narrow)
	}
}

// fewSlopes samples most gradients, so that no definition has them.
func fewSlopes() map[string]enginetest.Recipe {
	few := func(name string) enginetest.Recipe {
		of := enginetest.Recipes()[name]
		set := of.Set
		of.Set = func(s *kge.Settings) { set(s); s.SparseGradients = 16 }
		return of
	}
	return map[string]enginetest.Recipe{"few slopes": few("plain"),
		"few slopes together": few("grouped, all"), "few slopes and everything": few("everything"),
		"few slopes, not both ways": few("everything not reciprocal")}
}

// TestStepsAllocateNothing checks that the allocations of a step do not grow with the batch and
// are the same in each step.
func TestStepsAllocateNothing(t *testing.T) {
	triples, all := enginetest.Triples(graph()), completion.Examples(graph().Train)
	for name, recipe := range enginetest.Recipes() {
		s := settings()
		recipe.Set(&s)
		m := members(1)[0]
		m.Weights = recipe.Weights
		allocateNothing(t, name, triples, s, m, all[:s.Batch])
	}
	for name, m := range enginetest.Members() {
		for _, negatives := range []int{0, 7} {
			s := settings()
			s.Dim, s.Negatives = 12*max(1, m.Structure.K()), negatives
			paths := randomPaths(450, 20, s.Batch, 3, 1)
			allocateNothing(t, fmt.Sprintf("%s, %d negatives", name, negatives), paths, s, m,
				paths.Batches(s, 1).Make(0, nil))
		}
	}
}

func allocateNothing(t *testing.T, name string, d *kge.Data, s kge.Settings, m kge.Member,
	batch []kge.Example) {
	t.Helper()
	p, err := New(1).NewPopulation(d, s, []kge.Member{m})
	require.NoError(t, err)
	trainer := p.(*population).trainers[0]
	trainer.workspace = p.(*population).perThread[0]
	allocations := func(batch []kge.Example) float64 {
		return testing.AllocsPerRun(5, func() {
			if _, err := trainer.step(t.Context(), batch, 0.1); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(batch[:1]), allocations(batch)
	if few != many || many > 12 {
		t.Errorf("%s: %v allocations in a step of 1 example, %v in one of %d", name, few, many,
			len(batch))
	}
}

// randomPaths returns examples with a number of hops and some answers each.
func randomPaths(entities, relations, count, hops int, seed uint64) *kge.Data {
	rng := rand.New(rand.NewPCG(seed, 3))
	var all []kge.Example
	for range count {
		x := kge.Example{Question: kge.Question{Anchor: rng.Int32N(int32(entities))},
			Weight: 1 + rng.Float32()}
		for range hops {
			x.Path = append(x.Path, rng.Int32N(2*int32(relations)))
		}
		for range 1 + rng.IntN(3) {
			x.Targets = append(x.Targets, rng.Int32N(int32(entities)))
		}
		slices.Sort(x.Targets)
		x.Targets = slices.Compact(x.Targets)
		x.Target = x.Targets[rng.IntN(len(x.Targets))]
		all = append(all, x)
	}
	return &kge.Data{
		Name: "random", Entities: make([]string, entities), Relations: make([]string, relations),
		Count: count,
		Batches: func(s kge.Settings, _ int) kge.Batches {
			return kge.BatchesOf(slices.Collect(slices.Chunk(all, s.Batch))...)
		},
	}
}

func TestAgreesWithGoMLXOnUMLS(t *testing.T) {
	g, err := datasets.ReadFolder(realdata.Folder(t, "umls"))
	require.NoError(t, err)
	reference, err := gomlx.New(gomlx.Settings{})
	require.NoError(t, err)
	defer reference.Close()
	s := kge.DefaultSettings()
	s.Dim, s.Epochs = 32, 5
	mrr := func(engine kge.Engine) float64 {
		report, err := kge.Train(t.Context(), engine, kge.Job{Data: completion.Data(g), Settings: s,
			Members: []kge.Member{kge.DefaultMember(structure.MustParse("complex"))}})
		require.NoError(t, err)
		all, err := completion.EvaluateAll(t.Context(), engine, []*kge.Model{report.Results[0].Model}, g,
			eval.Options{})
		require.NoError(t, err)
		return all[0].Test.Both.MRR
	}
	if got, want := mrr(New(0)), mrr(reference); math.Abs(got-want) > 0.01 {
		t.Errorf("test MRR %v, gomlx has %v", got, want)
	}
}

// FuzzShapes checks losses and gradients against the definitions for any shape, on triples and
// on paths.
func FuzzShapes(f *testing.F) {
	names := slices.Sorted(maps.Keys(enginetest.Recipes()))
	for recipe := range uint8(len(names) + 1) { // each with two of five shapes
		add := func(shape uint8, entities uint16, relations, k, width, triples, batch uint8) {
			if (shape+recipe)%5 < 2 {
				f.Add(entities, relations, k, width, triples, batch, uint64(shape), recipe)
			}
		}
		add(1, 3, 1, 2, 1, 1, 5)
		add(2, 191, 3, 4, 5, 49, 48)
		add(3, 192, 2, 3, 6, 97, 96)
		add(4, 193, 7, 6, 3, 100, 47)
		add(5, 30, 100, 3, 3, 119, 99) // more relations than a tile has rows
	}
	f.Fuzz(func(t *testing.T, entities uint16, relations, k, width, triples, batch uint8, seed uint64,
		recipe uint8) {
		chunks := 1 + int(k)%6
		s := kge.DefaultSettings()
		s.Dim, s.Batch, s.InitScale = chunks*(1+int(width)%12), 1+int(batch)%120, 0.5
		most, kinds, count := 2+int(entities)%400, 1+int(relations), 1+int(triples)%120
		count = min(count, 1+10_000/(kinds*s.Dim)) // the definition takes long to predict many relations
		m := kge.DefaultMember(structure.Zero(chunks))
		for cell := range chunks * chunks {
			m.Structure = m.Structure.With(cell/chunks, cell%chunks,
				int(seed>>(cell%32)%uint64(2*chunks+1))-chunks)
		}
		m.Seed, m.LearningRate, m.L2, m.N3 = seed, 0.1, 0.01*float64(seed%2), 0.01*float64(seed%3)
		if recipe := int(recipe) % (len(names) + 1); recipe < len(names) {
			chosen := enginetest.Recipes()[names[recipe]]
			chosen.Set(&s)
			m.Weights = chosen.Weights
		}
		if chunks%max(1, m.N3Block) != 0 {
			m.N3Block = 1
		}
		ofForm, onPaths := m, s
		// The slope of a distance jumps, so that rounding can change it.
		if ofForm.Form = []form.Form{form.Bilinear, form.Diag, form.GQE,
			form.Tucker}[seed/2%4]; ofForm.Form != form.Bilinear {
			ofForm.Structure, ofForm.N3Block = structure.Structure{}, 1
		}
		onPaths.AnswersPerQuery, ofForm.RelationPrediction = 0, 0
		onPaths.Distillation, onPaths.Sampling = kge.Distillation{}, kge.Sampling{}
		// Of triples only, as is bce.
		onPaths.SelfAdversarial, onPaths.BatchNorm = kge.SelfAdversarial{}, false
		onPaths.Loss, onPaths.LabelSmoothing = kge.LogLoss, 0
		ofForm.IVR, ofForm.IVRProducts = 0, 0
		m.Orthogonality = 0
		if ofForm.Form != form.Tucker {
			ofForm.Orthogonality = 0
		}
		ofForm.PenaltyFrequency = 0 // the paths below have no occurrences
		if seed%4 == 3 {
			onPaths.Sampling, onPaths.SampledSoftmax,
				onPaths.SparseGradients = kge.Sampling{Negatives: 3, Margin: 1}, 0, 0
		}
		engine := func(set *kernel.Set) kge.Engine {
			return &Engine{threads: 1 + int(seed%3), kernels: set, bf16Sets: kernel.BF16Sets()}
		}
		sets, ofTriples, ofPaths := kernel.Sets(), enginetest.Triples(enginetest.RandomGraph(most, kinds,
			count, seed)), randomPaths(most, kinds, count, 1+int(seed%4%3), seed)
		some := engine(sets[seed%uint64(len(sets))])
		const rounding = 1e-5 // of sums over a batch, of up to 36 products each, that may cancel
		enginetest.CheckGradients(t, some, ofTriples, s, m, rounding, 1, 2)
		enginetest.CheckGradients(t, some, ofPaths, onPaths, ofForm, rounding, 1, 2)
		agree := func(other kge.Engine, tolerance float64) { // the definition takes long
			enginetest.CheckAgreement(t, other, some, ofTriples, s, m, tolerance, 1)
			enginetest.CheckAgreement(t, other, some, ofPaths, onPaths, ofForm, tolerance, 1)
		}
		for _, set := range sets {
			agree(engine(set), 1e-5)
		}
		all := bfloat16Engines(1 + int(seed%3))
		agree(all[seed%uint64(len(all))], 0.02) // the one in Go takes long, too
	})
}

// TestTemperatureOfPaths checks that the negatives of paths cannot be weighed.
func TestTemperatureOfPaths(t *testing.T) {
	s := settings()
	s.Negatives, s.AdversarialTemperature = 4, 1
	err := New(1).Supports(randomPaths(40, 3, 10, 2, 1), s, members(1))
	require.Error(t, err, "leave adversarial-temperature at 0")
}
