package cpu

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/completion/gomlx"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
)

func TestConformance(t *testing.T) {
	for _, set := range kernel.Sets() {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d threads", set.Name, threads), func(t *testing.T) {
				enginetest.Run(t, &Engine{threads: threads, kernels: set})
			})
		}
	}
}

// TestGoingOn to the bit, with threads and without.
func TestGoingOn(t *testing.T) {
	for _, threads := range []int{1, 2} {
		enginetest.Continues(t, New(threads))
		enginetest.Resumes(t, New(threads))
	}
}

// graph has several units in a batch, and several tiles of entities and of
// relations.
func graph() *datasets.Graph { return enginetest.RandomGraph(450, 200, 130, 1) }

func members(n int) []completion.Member {
	var all []completion.Member
	for i := range n {
		named := structure.HumanDesigned()[i%5]
		all = append(all, completion.Member{Structure: named.Structure, Seed: uint64(i), LearningRate: 0.2, Weights: completion.Weights{N3: 0.01 * float64(i%2)}})
	}
	return all
}

// train returns the losses and the embeddings of all members after two epochs.
func train(t *testing.T, p completion.Population, g *datasets.Graph, n int) (losses [][]float64, all []completion.Parameters) {
	t.Helper()
	for range 2 {
		epoch, err := p.Epoch(t.Context(), g.Train, slices.Repeat([]float64{0.2}, n))
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, epoch.Loss)
	}
	for i := range n {
		parameters, err := p.Parameters(i)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parameters)
	}
	return losses, all
}

func settings() completion.Settings {
	s := completion.DefaultSettings()
	s.Dim, s.Batch = 24, 100
	return s
}

// TestSameBits: neither the threads, nor the fellow members, nor the room for
// what is kept of a step change a bit, with every part of a recipe and with none.
func TestSameBits(t *testing.T) {
	t.Run("plain", func(t *testing.T) { sameBits(t, func(*completion.Settings) {}, completion.Weights{}) })
	for _, name := range []string{"everything", "everything but reverses"} {
		recipe := enginetest.Recipes()[name]
		t.Run(name, func(t *testing.T) { sameBits(t, recipe.Set, recipe.Weights) })
	}
}

func sameBits(t *testing.T, recipe func(*completion.Settings), w completion.Weights) {
	g, s := graph(), settings()
	recipe(&s)
	all := members(5)
	for i := range all {
		if i%2 == 0 { // the others have little in common with them
			all[i].Weights = w
		}
	}
	for _, set := range kernel.Sets() {
		population := func(threads int, m []completion.Member) *population {
			p, err := (&Engine{threads: threads, kernels: set}).NewPopulation(g, s, m)
			if err != nil {
				t.Fatal(err)
			}
			return p.(*population)
		}
		losses, want := train(t, population(1, all), g, 5)
		for _, threads := range []int{2, 3, 8} {
			otherLosses, got := train(t, population(threads, all), g, 5)
			if !reflect.DeepEqual(losses, otherLosses) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d threads give other bits than 1", set.Name, threads)
			}
		}
		for i := range all {
			_, alone := train(t, population(2, all[i:i+1]), g, 1)
			if !reflect.DeepEqual(alone[0], want[i]) {
				t.Errorf("%s: member %d alone has other bits than among others", set.Name, i)
			}
		}
		narrow := population(1, all)
		narrow.single[0] = newWorkspace(narrow.demand, 1, 0)
		if kept := len(narrow.single[0].units); kept != 1 {
			t.Fatalf("%d units kept, want 1", kept)
		}
		if _, got := train(t, narrow, g, 5); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: keeping one unit at a time gives other bits", set.Name)
		}
	}
}

// TestStepsAllocateNothing: what a step allocates does not grow with the batch,
// and is the same in each step.
func TestStepsAllocateNothing(t *testing.T) {
	g := graph()
	for name, recipe := range enginetest.Recipes() {
		s := settings()
		recipe.Set(&s)
		m := members(1)[0]
		m.Weights = recipe.Weights
		p, err := New(1).NewPopulation(g, s, []completion.Member{m})
		if err != nil {
			t.Fatal(err)
		}
		trainer := p.(*population).trainers[0]
		trainer.workspace = p.(*population).single[0]
		allocations := func(batch []datasets.Triple) float64 {
			return testing.AllocsPerRun(5, func() {
				if _, err := trainer.step(t.Context(), batch, 0.1); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := allocations(g.Train[:1]), allocations(g.Train[:s.Batch])
		if few != many || many > 12 {
			t.Errorf("%s: %v allocations in a step of 1 triple, %v in one of %d", name, few, many, s.Batch)
		}
	}
}

// TestAgreesWithGoMLX: the two engines lose the same in each of the first 50
// steps, and end with the same MRR but for noise.
func TestAgreesWithGoMLX(t *testing.T) {
	reference, err := gomlx.New(gomlx.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer reference.Close()
	g := enginetest.Graph()
	agree := func(t *testing.T, s completion.Settings, m completion.Member) {
		t.Helper()
		losses := func(engine completion.Engine) (all []float64) {
			p, err := engine.NewPopulation(g, s, []completion.Member{m})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			for step := range 50 {
				start := step * s.Batch % (len(g.Train) - s.Batch)
				epoch, err := p.Epoch(t.Context(), g.Train[start:start+s.Batch], []float64{m.LearningRate})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, epoch.Loss[0])
			}
			return all
		}
		got, want := losses(New(2)), losses(reference)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-4*math.Abs(want[i]) {
				t.Errorf("%s, step %d: loss %v, gomlx has %v", m.Structure, i+1, got[i], want[i])
				break
			}
		}
	}
	s := completion.DefaultSettings()
	s.Dim, s.Batch = 24, 16
	for _, m := range members(5) {
		agree(t, s, m)
	}
	for name, recipe := range enginetest.Recipes() {
		t.Run(name, func(t *testing.T) {
			s := s
			recipe.Set(&s)
			m := completion.DefaultMember(structure.MustParse("0,0,0,-1;4,-1,1,-1;0,4,-3,1;-1,2,2,-2"))
			m.LearningRate, m.Weights = 0.1, recipe.Weights
			agree(t, s, m)
		})
	}
}

func TestAgreesWithGoMLXOnUMLS(t *testing.T) {
	g, err := datasets.ReadFolder(realdata.Folder(t, "umls"))
	if err != nil {
		t.Fatal(err)
	}
	reference, err := gomlx.New(gomlx.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer reference.Close()
	s := completion.DefaultSettings()
	s.Dim, s.Epochs = 32, 5
	mrr := func(engine completion.Engine) float64 {
		report, err := completion.Train(t.Context(), engine, completion.Job{Graph: g, Settings: s, Members: []completion.Member{completion.DefaultMember(structure.MustParse("complex"))}})
		if err != nil {
			t.Fatal(err)
		}
		if err := completion.EvaluateAll(t.Context(), engine, []*completion.Model{report.Results[0].Model}, g); err != nil {
			t.Fatal(err)
		}
		return report.Results[0].Model.Test.Both.MRR
	}
	if got, want := mrr(New(0)), mrr(reference); math.Abs(got-want) > 0.01 {
		t.Errorf("test MRR %v, gomlx has %v", got, want)
	}
}

// FuzzShapes follows the reference for any shape.
func FuzzShapes(f *testing.F) {
	names := slices.Sorted(maps.Keys(enginetest.Recipes()))
	for recipe := range uint8(len(names) + 1) {
		f.Add(uint16(3), uint8(1), uint8(2), uint8(1), uint8(1), uint8(5), uint64(1), recipe)
		f.Add(uint16(191), uint8(3), uint8(4), uint8(5), uint8(49), uint8(48), uint64(2), recipe)
		f.Add(uint16(192), uint8(2), uint8(3), uint8(6), uint8(97), uint8(96), uint64(3), recipe)
		f.Add(uint16(193), uint8(7), uint8(6), uint8(3), uint8(100), uint8(47), uint64(4), recipe)
		f.Add(uint16(30), uint8(100), uint8(3), uint8(3), uint8(119), uint8(99), uint64(5), recipe) // more relations than a tile has rows
	}
	f.Fuzz(func(t *testing.T, entities uint16, relations, k, width, triples, batch uint8, seed uint64, recipe uint8) {
		chunks := 1 + int(k)%6
		s := completion.DefaultSettings()
		s.Dim, s.Batch = chunks*(1+int(width)%12), 1+int(batch)%120
		g := enginetest.RandomGraph(2+int(entities)%400, 1+int(relations), 1+int(triples)%120, seed)
		m := completion.DefaultMember(structure.Zero(chunks))
		for cell := range chunks * chunks {
			m.Structure = m.Structure.With(cell/chunks, cell%chunks, int(seed>>(cell%32)%uint64(2*chunks+1))-chunks)
		}
		m.Seed, m.LearningRate, m.L2, m.N3 = seed, 0.1, 0.01*float64(seed%2), 0.01*float64(seed%3)
		if recipe := int(recipe) % (len(names) + 1); recipe < len(names) {
			chosen := enginetest.Recipes()[names[recipe]]
			chosen.Set(&s)
			m.Weights = chosen.Weights
		}
		for _, set := range kernel.Sets() {
			enginetest.Follow(t, &Engine{threads: 1 + int(seed%3), kernels: set}, g, s, m)
		}
	})
}
