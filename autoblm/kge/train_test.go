package kge_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// job returns a job of n members on the small graph, in batches of 3.
func job(n int, change func(*kge.Settings)) kge.Job {
	return jobOn(enginetest.SmallGraph(), n, change)
}

func jobOn(g *datasets.Graph, n int, change func(*kge.Settings)) kge.Job {
	s := kge.DefaultSettings()
	s.Dim, s.Epochs, s.Batch = 4, 6, 3
	change(&s)
	members := slices.Repeat([]kge.Member{kge.DefaultMember(structure.MustParse("complex"))}, n)
	for i := range members {
		members[i].Seed = uint64(i)
	}
	return kge.Job{Data: completion.Data(g), Settings: s, Members: members}
}

func mustTrain(t testing.TB, engine *enginetest.Scripted, j kge.Job) *kge.Report {
	t.Helper()
	report, err := kge.Train(t.Context(), engine, j)
	require.NoError(t, err)
	if engine.Closed != 1 {
		t.Errorf("the population was closed %d times", engine.Closed)
	}
	return report
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// epochOf returns the epoch of a model's embeddings.
func epochOf(m *kge.Model) int { return int(m.Entities[0]) }

func validatedEpochs(r kge.Result) []int {
	var epochs []int
	for _, v := range r.Validations {
		epochs = append(epochs, v.Epoch)
	}
	return epochs
}

func TestTrainWithoutValidationKeepsTheLastEpoch(t *testing.T) {
	engine := &enginetest.Scripted{
		Loss: func(epoch, member int) float64 { return float64(10*epoch + member) },
	}
	j := job(2, func(*kge.Settings) {})
	report := mustTrain(t, engine, j)
	for i, r := range report.Results {
		want := []float64{10, 20, 30, 40, 50, 60}
		for n := range want {
			want[n] += float64(i)
		}
		if !slices.Equal(r.Loss, want) {
			t.Errorf("member %d: loss %v, want %v", i, r.Loss, want)
		}
		if r.BestEpoch != 6 || epochOf(r.Model) != 6 || len(r.Validations) != 0 || r.Err != nil {
			t.Errorf("member %d: best epoch %d, embeddings of %d, %d validations, error %v", i, r.BestEpoch,
				epochOf(r.Model), len(r.Validations), r.Err)
		}
		if r.Member != j.Members[i] || r.Model.Training.Member != j.Members[i] ||
			r.Model.Training.Settings != j.Settings {
			t.Errorf("member %d is not recorded as it was asked for", i)
		}
		if r.Model.Dataset != "small" || !slices.Equal(r.Model.EntityLabels, j.Data.Entities) ||
			!slices.Equal(r.Model.RelationLabels, j.Data.Relations) {
			t.Errorf("member %d: the model lacks the names of the graph", i)
		}
	}
	if len(engine.RankedAfter) != 0 {
		t.Errorf("ranked after epochs %v, though nothing was to be validated", engine.RankedAfter)
	}
}

func TestEarlyStopping(t *testing.T) {
	// Epoch 3 is best. Epoch 4 is as good, which is no improvement, so patience 2 stops after 5.
	better := []int32{9, 4, 1, 1, 3, 0, 0}
	engine := &enginetest.Scripted{Better: func(epoch, _ int) int32 { return better[epoch-1] }}
	g := enginetest.SmallGraph()
	j := jobOn(g, 1, func(s *kge.Settings) { s.Epochs, s.ValidateEvery, s.Patience = 7, 1, 2 })
	r := mustTrain(t, engine, j).Results[0]
	if r.BestEpoch != 3 || epochOf(r.Model) != 3 {
		t.Errorf("best epoch %d with embeddings of %d, want 3", r.BestEpoch, epochOf(r.Model))
	}
	if engine.Epochs != 5 || len(r.Loss) != 5 {
		t.Errorf("%d epochs, %d losses: want 5", engine.Epochs, len(r.Loss))
	}
	want := []kge.Validation{{Epoch: 1, MRR: 1.0 / 10}, {Epoch: 2, MRR: 1.0 / 5},
		{Epoch: 3, MRR: 1.0 / 2}, {Epoch: 4, MRR: 1.0 / 2}, {Epoch: 5, MRR: 1.0 / 4}}
	if !slices.EqualFunc(r.Validations, want,
		func(a, b kge.Validation) bool { return a.Epoch == b.Epoch && near(a.MRR, b.MRR) }) {
		t.Errorf("validations %v, want %v", r.Validations, want)
	}
	if !slices.Equal(engine.RankedSplit, g.Valid) || engine.RankedKnown != g.Known() {
		t.Error("validation did not rank the validation triples with the graph's known answers left out")
	}
}

func TestValidationEveryFewEpochsAndAfterTheLast(t *testing.T) {
	for every, want := range map[int][]int{1: {1, 2, 3, 4, 5, 6, 7}, 3: {3, 6, 7}, 7: {7}, 100: {7}} {
		engine := &enginetest.Scripted{Better: func(epoch, _ int) int32 { return int32(epoch) }}
		r := mustTrain(t, engine,
			job(1, func(s *kge.Settings) { s.Epochs, s.ValidateEvery = 7, every })).Results[0]
		if got := validatedEpochs(r); !slices.Equal(got, want) ||
			!slices.Equal(engine.RankedAfter, want) {
			t.Errorf("every %d: validated after %v, ranked after %v, want %v", every, got,
				engine.RankedAfter, want)
		}
		if r.BestEpoch != want[0] || epochOf(r.Model) != want[0] {
			t.Errorf("every %d: best epoch %d with embeddings of %d, want %d", every, r.BestEpoch,
				epochOf(r.Model), want[0])
		}
	}
}

func TestValidationCountsTiesAgainstTheModel(t *testing.T) {
	// A model that gives everything the same score must not look perfect.
	engine := &enginetest.Scripted{
		Better: func(epoch, _ int) int32 { return int32(epoch - 1) },
		Equal:  func(epoch, _ int) int32 { return []int32{9, 0}[epoch-1] },
	}
	r := mustTrain(t, engine,
		job(1, func(s *kge.Settings) { s.Epochs, s.ValidateEvery = 2, 1 })).Results[0]
	if r.BestEpoch != 2 || !near(r.Validations[0].MRR, 1.0/10) {
		t.Errorf("best epoch %d, validations %v", r.BestEpoch, r.Validations)
	}
}

func TestDivergedMemberIsReportedAndTheOthersGoOn(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 3.6e15} {
		for _, every := range []int{0, 1} {
			t.Run(fmt.Sprint(bad, ", validated every ", every), func(t *testing.T) {
				engine := &enginetest.Scripted{Loss: func(epoch, member int) float64 {
					if member == 1 && epoch >= 4 {
						return bad
					}
					return 1
				}}
				report := mustTrain(t, engine, job(3, func(s *kge.Settings) { s.ValidateEvery = every }))
				r := report.Results[1]
				// the fourth epoch has no loss to report
				if !errors.Is(r.Err, kge.ErrDiverged) || r.Model != nil || r.BestEpoch != 0 ||
					len(r.Loss) != 3 {
					t.Errorf("error %v, model %v, best epoch %d, %d losses", r.Err, r.Model, r.BestEpoch,
						len(r.Loss))
				}
				require.Error(t, r.Err, "epoch 4", "learning rate 0.3", r.Member.Structure.String(),
					"smaller learning rate")
				for _, i := range []int{0, 2} {
					if r := report.Results[i]; r.Err != nil || r.Model == nil || len(r.Loss) != 6 ||
						int(r.Model.Relations[0]) != i {
						t.Errorf("member %d: error %v, %d losses", i, r.Err, len(r.Loss))
					}
				}
			})
		}
	}
}

func TestEmbeddingsThatAreNotFiniteAreADivergence(t *testing.T) {
	fromEpoch5 := func(epoch, member int) float32 {
		if member == 0 && epoch >= 5 {
			return float32(math.Inf(-1))
		}
		return 0
	}
	t.Run("at the end", func(t *testing.T) {
		report := mustTrain(t, &enginetest.Scripted{LastNumber: fromEpoch5},
			job(2, func(*kge.Settings) {}))
		require.Error(t, report.Results[0].Err, kge.ErrDiverged.Error(), "epoch 6")
		if r := report.Results[0]; r.Model != nil || r.BestEpoch != 0 {
			t.Errorf("model %v, best epoch %d", r.Model, r.BestEpoch)
		}
		if r := report.Results[1]; r.Err != nil || r.Model == nil {
			t.Errorf("the other member: error %v", r.Err)
		}
	})
	t.Run("in the best epoch", func(t *testing.T) {
		engine := &enginetest.Scripted{LastNumber: fromEpoch5,
			Better: func(epoch, _ int) int32 { return int32(10 - epoch) }}
		r := mustTrain(t, engine, job(1, func(s *kge.Settings) { s.ValidateEvery = 1 })).Results[0]
		require.Error(t, r.Err, kge.ErrDiverged.Error(), "epoch 5")
		if engine.Epochs != 5 {
			t.Errorf("%d epochs with no member left after 5", engine.Epochs)
		}
	})
	t.Run("after the best epoch", func(t *testing.T) {
		engine := &enginetest.Scripted{LastNumber: fromEpoch5,
			Better: func(epoch, _ int) int32 { return int32(epoch) }}
		r := mustTrain(t, engine, job(1, func(s *kge.Settings) { s.ValidateEvery = 1 })).Results[0]
		if r.Err != nil || r.BestEpoch != 1 || epochOf(r.Model) != 1 {
			t.Errorf("error %v, best epoch %d: the embeddings to keep are sound", r.Err, r.BestEpoch)
		}
	})
}

// expected computes the result of a member from its whole script.
func expected(s kge.Settings, finiteLoss []bool, better []int32) (best, epochs int, diverged bool) {
	var validated []int
	for epoch := 1; epoch <= s.Epochs; epoch++ {
		if s.ValidateEvery > 0 && (epoch%s.ValidateEvery == 0 || epoch == s.Epochs) {
			validated = append(validated, epoch)
		}
	}
	epochs, best = s.Epochs, s.Epochs
	if len(validated) > 0 {
		best = 0
		for last := range validated { // the first validation with Patience others since the best one
			first := 0
			for v := range last + 1 {
				if better[validated[v]-1] < better[validated[first]-1] {
					first = v
				}
			}
			best = validated[first]
			if s.Patience > 0 && last-first >= s.Patience {
				epochs = validated[last]
				break
			}
		}
	}
	if bad := slices.Index(finiteLoss[:epochs], false); bad >= 0 {
		return 0, bad + 1, true
	}
	return best, epochs, false
}

func TestTrainFollowsTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.IntRange(1, 4).Draw(t, "members")
		j := job(members, func(s *kge.Settings) {
			s.Epochs = rapid.IntRange(1, 12).Draw(t, "epochs")
			s.ValidateEvery = rapid.IntRange(0, 4).Draw(t, "every")
			if s.ValidateEvery > 0 {
				s.Patience = rapid.IntRange(0, 3).Draw(t, "patience")
			}
		})
		n := j.Settings.Epochs
		finite, better := make([][]bool, members), make([][]int32, members)
		for i := range members {
			finite[i] = rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 14), func(x int) bool { return x > 0 }),
				n, n).Draw(t, "finite")
			better[i] = rapid.SliceOfN(rapid.Int32Range(0, 6), n, n).Draw(t, "better")
		}
		engine := &enginetest.Scripted{
			Loss: func(epoch, member int) float64 {
				if !finite[member][epoch-1] {
					return math.NaN()
				}
				return 1
			},
			Better: func(epoch, member int) int32 { return better[member][epoch-1] },
		}
		report, err := kge.Train(context.Background(), engine, j)
		require.NoError(t, err)
		longest := 0
		for i, r := range report.Results {
			best, epochs, diverged := expected(j.Settings, finite[i], better[i])
			longest = max(longest, epochs)
			losses := epochs
			if diverged {
				losses-- // the last epoch has no loss to report
			}
			if r.BestEpoch != best || len(r.Loss) != losses ||
				errors.Is(r.Err, kge.ErrDiverged) != diverged || (r.Model == nil) != diverged {
				t.Fatalf("member %d: best epoch %d, %d losses, error %v; want %d, %d, diverged %v", i,
					r.BestEpoch, len(r.Loss), r.Err, best, losses, diverged)
			}
			if !diverged && (epochOf(r.Model) != best || int(r.Model.Relations[0]) != i) {
				t.Fatalf("member %d: the embeddings are those of epoch %d and member %v", i, epochOf(r.Model),
					r.Model.Relations[0])
			}
		}
		if engine.Epochs != longest {
			t.Fatalf("%d epochs were trained, and %d needed", engine.Epochs, longest)
		}
	})
}

func TestBatchOrder(t *testing.T) {
	orders := func(change func(*kge.Settings)) (triples [][]datasets.Triple) {
		engine := &enginetest.Scripted{}
		j := job(1, change)
		mustTrain(t, engine, j)
		for epoch, batches := range engine.Batches {
			for i, batch := range batches[:len(batches)-1] {
				if len(batch) != j.Settings.Batch {
					t.Errorf("epoch %d: batch %d has %d triples, want %d", epoch+1, i+1, len(batch),
						j.Settings.Batch)
				}
			}
			triples = append(triples, triplesOf(t, slices.Concat(batches...)))
		}
		return triples
	}
	first := orders(func(*kge.Settings) {})
	if diff := cmp.Diff(first, orders(func(*kge.Settings) {})); diff != "" {
		t.Errorf("the same data seed gave two orders:\n%s", diff)
	}
	if cmp.Equal(first, orders(func(s *kge.Settings) { s.DataSeed = 2 })) {
		t.Error("another data seed gave the same order")
	}
	g := enginetest.SmallGraph()
	for i, order := range first {
		for j := range i {
			if slices.Equal(order, first[j]) {
				t.Errorf("epochs %d and %d have one order", j+1, i+1)
			}
		}
		if !slices.Equal(sorted(order), sorted(g.Train)) {
			t.Errorf("epoch %d is not the training triples in some order", i+1)
		}
	}
	for _, test := range []struct{ maxSteps, want int }{{1, 3}, {2, 6}, {3, 9}, {4, 10}, {5, 10},
		{1e9, 10}} {
		for i, order := range orders(func(s *kge.Settings) { s.MaxSteps = test.maxSteps }) {
			if !slices.Equal(order, first[i][:test.want]) {
				t.Errorf("at most %d steps of 3: epoch %d has %d triples, want the first %d", test.maxSteps,
					i+1, len(order), test.want)
			}
		}
	}
	for _, order := range orders(func(s *kge.Settings) { s.MaxSteps, s.Batch = 1, 1e9 }) {
		if len(order) != 10 {
			t.Errorf("one step of everything has %d triples", len(order))
		}
	}
}

// triplesOf returns the triples of examples.
func triplesOf(t *testing.T, examples []kge.Example) (triples []datasets.Triple) {
	t.Helper()
	for _, x := range examples {
		triple := datasets.Triple{Head: x.Anchor, Relation: x.Path[0] / 2, Tail: x.Target}
		if !reflect.DeepEqual(completion.Examples([]datasets.Triple{triple}), []kge.Example{x}) {
			t.Fatalf("%+v is no triple", x)
		}
		triples = append(triples, triple)
	}
	return triples
}

func sorted(triples []datasets.Triple) []datasets.Triple {
	return slices.SortedFunc(slices.Values(triples), func(a, b datasets.Triple) int {
		return slices.Compare([]int32{a.Head, a.Relation, a.Tail}, []int32{b.Head, b.Relation, b.Tail})
	})
}

func TestTrainLeavesTheGraphAlone(t *testing.T) {
	g := enginetest.SmallGraph()
	before := g.Fingerprint()
	mustTrain(t, &enginetest.Scripted{}, jobOn(g, 1, func(s *kge.Settings) { s.MaxSteps = 1 }))
	if g.Fingerprint() != before {
		t.Error("training changed the graph")
	}
}

func TestLearningRates(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(s *kge.Settings)
		want [][]float64 // by epoch and member
	}{
		"decay": {
			func(s *kge.Settings) { s.Decay, s.Epochs = 0.5, 3 },
			[][]float64{{1, 16}, {0.5, 8}, {0.25, 4}},
		},
		"cooldown": {
			func(s *kge.Settings) { s.Cooldown, s.Epochs = 3, 5 },
			[][]float64{{1, 16}, {1, 16}, {0.75, 12}, {0.5, 8}, {0.25, 4}},
		},
		"cooldown of a share": {
			func(s *kge.Settings) { s.Cooldown, s.Epochs = 0.6, 5 },
			[][]float64{{1, 16}, {1, 16}, {0.75, 12}, {0.5, 8}, {0.25, 4}},
		},
	} {
		engine := &enginetest.Scripted{}
		j := job(2, c.set)
		j.Members[0].LearningRate, j.Members[1].LearningRate = 1, 16
		mustTrain(t, engine, j)
		if !reflect.DeepEqual(engine.Rates, c.want) {
			t.Errorf("%s: learning rates %v, want %v", name, engine.Rates, c.want)
		}
	}
}

// TestPlateau checks that a member's learning rate falls after every two validations
// without improvement, independently of the other members.
func TestPlateau(t *testing.T) {
	ranks := [][]int32{ // by member and epoch; less is better
		{9, 9, 9, 5, 6, 5, 4, 7},
		{9, 8, 7, 6, 5, 4, 3, 2},
	}
	engine := &enginetest.Scripted{
		Better: func(epoch, member int) int32 { return ranks[member][epoch-1] },
	}
	j := job(2, func(s *kge.Settings) {
		s.Epochs, s.ValidateEvery, s.PlateauPatience, s.PlateauFactor = 8, 1, 2, 0.5
	})
	for i := range j.Members {
		j.Members[i].LearningRate = 1
	}
	mustTrain(t, engine, j)
	var found [2][]float64
	for _, rates := range engine.Rates {
		found[0], found[1] = append(found[0], rates[0]), append(found[1], rates[1])
	}
	if want := []float64{1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25}; !slices.Equal(found[0], want) {
		t.Errorf("the member that stands still: learning rates %v, want %v", found[0], want)
	}
	if want := slices.Repeat([]float64{1}, 8); !slices.Equal(found[1], want) {
		t.Errorf("the member that gets better: learning rates %v, want %v", found[1], want)
	}
}

func TestSecondsPerStep(t *testing.T) {
	for _, test := range []struct {
		name    string
		epochs  [][]float64
		planned int
		members int
		want    float64
	}{
		{"the first epoch is left out", [][]float64{{100, 100, 100}, {1, 3}, {2, 9}}, 3, 1, 2.5},
		{"two epochs", [][]float64{{100, 100}, {4, 2, 8}}, 2, 1, 4},
		{"one epoch: the first step is left out", [][]float64{{100, 1, 5, 3}}, 1, 1, 3},
		{"one step", [][]float64{{7}}, 1, 1, 7},
		{"one epoch of several planned", [][]float64{{100, 1, 5, 3}}, 9, 1, 3},
		{"shared by the members", [][]float64{{100}, {6, 6}}, 2, 3, 2},
		{"an engine that does not tell", [][]float64{nil, nil}, 2, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := &enginetest.Scripted{
				Seconds: func(epoch int) []float64 { return test.epochs[epoch-1] },
				Loss: func(epoch, _ int) float64 {
					if epoch == len(test.epochs) && epoch < test.planned {
						return math.NaN() // ends training
					}
					return 1
				},
			}
			report := mustTrain(t, engine,
				job(test.members, func(s *kge.Settings) { s.Epochs = test.planned }))
			if got := report.Timing.PerStep; !near(got, test.want) {
				t.Errorf("%v seconds a step, want %v", got, test.want)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	var got []kge.Progress
	j := job(2, func(s *kge.Settings) { s.Epochs = 3 })
	j.OnEpoch = func(p kge.Progress) { got = append(got, p) }
	mustTrain(t, &enginetest.Scripted{
		Loss: func(epoch, member int) float64 { return float64(epoch + 10*member) },
	}, j)
	var want []kge.Progress
	for epoch := range 3 {
		loss := float64(epoch + 1)
		want = append(want,
			kge.Progress{Epoch: epoch + 1, Epochs: 3, Step: 4, Steps: 4, Loss: []float64{loss, loss + 10}})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// TestProgressHasTheBestValidation checks the best validation in the progress of each epoch.
func TestProgressHasTheBestValidation(t *testing.T) {
	var got []*kge.Validation
	j := job(2, func(s *kge.Settings) { s.Epochs, s.ValidateEvery = 4, 1 })
	j.OnEpoch = func(p kge.Progress) { got = append(got, p.Best) }
	mustTrain(t, &enginetest.Scripted{
		Better: func(epoch, member int) int32 { return []int32{0, 3, 1, 4, 0}[epoch] },
	}, j)
	want := []*kge.Validation{nil, {Epoch: 1, MRR: 1.0 / 4}, {Epoch: 2, MRR: 1.0 / 2},
		{Epoch: 2, MRR: 1.0 / 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("best validations (-want +got):\n%s", diff)
	}
}

func TestTrainPassesErrorsOn(t *testing.T) {
	for name, engine := range map[string]*enginetest.Scripted{
		"population": {FailPopulation: true},
		"epoch":      {FailEpoch: 2},
		"ranking":    {FailRank: 2},
		"parameters": {FailParameters: true},
	} {
		report, err := kge.Train(t.Context(), engine,
			job(1, func(s *kge.Settings) { s.ValidateEvery = 2 }))
		if !errors.Is(err, enginetest.ErrScripted) || report != nil {
			t.Errorf("%s: error %v, report %v", name, err, report)
		}
		if name != "population" && engine.Closed != 1 {
			t.Errorf("%s: the population was closed %d times", name, engine.Closed)
		}
	}
	engine := &enginetest.Scripted{FailParameters: true}
	if _, err := kge.Train(t.Context(), engine, job(1, func(*kge.Settings) {})); !errors.Is(err,
		enginetest.ErrScripted) {
		t.Errorf("parameters of the last epoch: error %v", err)
	}
}

func TestTrainEndsWithTheContext(t *testing.T) {
	for _, every := range []int{0, 1} { // cancelled in the next epoch, or while ranking
		ctx, cancel := context.WithCancel(t.Context())
		engine := &enginetest.Scripted{}
		j := job(1, func(s *kge.Settings) { s.ValidateEvery = every })
		j.OnEpoch = func(kge.Progress) { cancel() }
		if _, err := kge.Train(ctx, engine, j); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		if engine.Epochs != 1 || len(engine.RankedAfter) != 0 || engine.Closed != 1 {
			t.Errorf("%d epochs, %d rankings, closed %d times", engine.Epochs, len(engine.RankedAfter),
				engine.Closed)
		}
	}
}

func TestTrainRefusesEmptySplits(t *testing.T) {
	g := enginetest.SmallGraph()
	g.Valid = nil
	validated := func(every int) kge.Job {
		return jobOn(g, 1, func(s *kge.Settings) { s.ValidateEvery = every })
	}
	_, err := kge.Train(t.Context(), &enginetest.Scripted{}, validated(1))
	require.Error(t, err, "small", "no validation data", "leave validate-every at 0")
	mustTrain(t, &enginetest.Scripted{}, validated(0))

	g.Train = nil
	_, err = kge.Train(t.Context(), &enginetest.Scripted{}, validated(0))
	require.Error(t, err, "small has nothing to train on")
}

func TestInitialize(t *testing.T) {
	d := &kge.Data{Entities: make([]string, 300), Relations: make([]string, 20)}
	set := kge.Settings{Dim: 8, InitScale: 0.1}
	m := kge.Member{Structure: structure.MustParse("complex"), Seed: 5}
	p := kge.Initialize(d, set, m)
	if len(p.Entities) != 300*8 || len(p.Relations) != 20*8 || p.Dim != 8 ||
		p.Structure != m.Structure || p.Reciprocal {
		t.Fatalf("%d and %d numbers, dim %d", len(p.Entities), len(p.Relations), p.Dim)
	}
	if again := kge.Initialize(d, set, m); !slices.Equal(p.Entities, again.Entities) ||
		!slices.Equal(p.Relations, again.Relations) {
		t.Error("one seed gave two draws")
	}
	other := m
	other.Seed = 6
	if slices.Equal(p.Entities, kge.Initialize(d, set, other).Entities) {
		t.Error("two seeds gave one draw")
	}
	other = m
	other.Structure = structure.MustParse("distmult")
	if !slices.Equal(p.Entities, kge.Initialize(d, set, other).Entities) {
		t.Error("the draw depends on the structure")
	}
	both := set
	both.Reciprocal = true
	if r := kge.Initialize(d, both, m); len(r.Relations) != 40*8 || !r.Reciprocal {
		t.Errorf("%d numbers of relations and their reverses, want %d", len(r.Relations), 40*8)
	}
	moments := func(x []float32) (mean, deviation, largest float64) {
		for _, v := range x {
			mean += float64(v)
			deviation += float64(v) * float64(v)
			largest = max(largest, math.Abs(float64(v)))
		}
		n := float64(len(x))
		return mean / n, math.Sqrt(deviation / n), largest
	}
	n := float64(len(p.Entities))
	// Five standard errors of the mean and of the standard deviation.
	if mean, sd, _ := moments(p.Entities); math.Abs(mean) > 5*0.1/math.Sqrt(n) ||
		math.Abs(sd-0.1) > 5*0.1/math.Sqrt(2*n) {
		t.Errorf("mean %v and standard deviation %v, want 0 and 0.1", mean, sd)
	}
	set.Initial = kge.Xavier
	x := kge.Initialize(d, set, m)
	for table, rows := range map[*[]float32]int{&x.Entities: 300, &x.Relations: 20} {
		bound := math.Sqrt(6 / float64(rows+8))
		mean, sd, largest := moments(*table)
		n := float64(rows * 8)
		if want := bound / math.Sqrt(3); math.Abs(mean) > 5*want/math.Sqrt(n) ||
			math.Abs(sd-want) > 5*want/math.Sqrt(n) || largest > bound || largest < 0.9*bound {
			t.Errorf("%d rows: mean %v, standard deviation %v, largest %v of an even draw up to %v", rows,
				mean, sd, largest, bound)
		}
	}
}
