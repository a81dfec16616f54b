package controller

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// network holds the weights as tables.
type network struct {
	length, symbols int
	tables          [weightTables][]float64
}

// randomNetwork draws weights so large that the symbols are far from equally likely.
func randomNetwork(length, symbols int, rng *rand.Rand) network {
	n := network{length: length, symbols: symbols}
	for i, table := range tables(length, symbols) {
		for range table.Size() {
			n.tables[i] = append(n.tables[i], 0.5*rng.NormFloat64())
		}
	}
	return n
}

func networkOf(t *testing.T, c *Controller) network {
	t.Helper()
	n := network{length: c.length, symbols: c.symbols}
	for i := range n.tables {
		numbers, err := tensors.CopyFlatData[float32](c.state[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range numbers {
			n.tables[i] = append(n.tables[i], float64(x))
		}
	}
	return n
}

// controller returns a controller with the network's weights, in single precision.
func (n network) controller() *Controller {
	c := New(n.length, n.symbols, rand.New(rand.NewPCG(1, 1)))
	for i, table := range n.tables {
		numbers := make([]float32, len(table))
		for j, x := range table {
			numbers[j] = float32(x)
		}
		c.state[i] = tensors.FromFlatDataAndDimensions(numbers, c.state[i].Shape().Dimensions...)
	}
	return c
}

// logProbability runs an LSTM (Hochreiter and Schmidhuber 1997, with the forget
// gate of Gers et al. 2000) unit by unit over one sequence.
func (n network) logProbability(sequence []int) float64 {
	state, cells := make([]float64, hidden), make([]float64, hidden)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	symbol, total := n.symbols, 0.0
	for place, emitted := range sequence {
		gates := slices.Clone(n.tables[inputWeights][symbol*4*hidden : (symbol+1)*4*hidden])
		for from, x := range state {
			for gate := range gates {
				gates[gate] += x * n.tables[stateWeights][from*4*hidden+gate]
			}
		}
		for unit := range hidden {
			input, candidate, forget, output := gates[unit], gates[hidden+unit], gates[2*hidden+unit],
				gates[3*hidden+unit]
			cells[unit] = sigmoid(forget)*cells[unit] + sigmoid(input)*math.Tanh(candidate)
			state[unit] = sigmoid(output) * math.Tanh(cells[unit])
		}
		logits := slices.Clone(n.tables[outputBiases][place*n.symbols : (place+1)*n.symbols])
		for unit, x := range state {
			for s := range logits {
				logits[s] += x * n.tables[outputWeights][(place*hidden+unit)*n.symbols+s]
			}
		}
		sum := 0.0
		for _, logit := range logits {
			sum += math.Exp(logit)
		}
		total += logits[emitted] - math.Log(sum)
		symbol = emitted
	}
	return total
}

func (n network) objective(sequences [][]int, advantages []float64) float64 {
	sum := 0.0
	for i, sequence := range sequences {
		sum += advantages[i] * n.logProbability(sequence)
	}
	return sum
}

// slope returns the derivative of the objective by a weight, by central differences.
func (n network) slope(table, weight int, sequences [][]int, advantages []float64) float64 {
	const step = 1e-5
	at := &n.tables[table][weight]
	before := *at
	*at = before + step
	up := n.objective(sequences, advantages)
	*at = before - step
	down := n.objective(sequences, advantages)
	*at = before
	return (up - down) / (2 * step)
}

func randomSequences(
	count, length, symbols int, rng *rand.Rand,
) (sequences [][]int, numbers []float64) {
	for range count {
		sequence := make([]int, length)
		for i := range sequence {
			sequence[i] = rng.IntN(symbols)
		}
		sequences, numbers = append(sequences, sequence), append(numbers, rng.NormFloat64())
	}
	return sequences, numbers
}

// TestPolicyGradient compares the objective with the LSTM above, in double
// precision, and its gradient with central differences.
func TestPolicyGradient(t *testing.T) {
	const length, symbols, count = 5, 3, 4
	rng := rand.New(rand.NewPCG(1, 2))
	n := randomNetwork(length, symbols, rng)
	sequences, advantages := randomSequences(count, length, symbols, rng)
	var inputs []any
	for i, table := range tables(length, symbols) {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(n.tables[i], table.Dimensions...))
	}
	flat := make([]int32, length*count)
	for i, sequence := range sequences {
		for place, symbol := range sequence {
			flat[place*count+i] = int32(symbol)
		}
	}
	inputs = append(inputs, tensors.FromFlatDataAndDimensions(flat, length, count),
		tensors.FromFlatDataAndDimensions(advantages, count))
	build := func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		value := objective(in[:weightTables], in[weightTables], in[weightTables+1])
		return append(graph.Gradient(value, in[:weightTables]...), value)
	}
	exec, err := graph.NewExecCanonical(
		gobackend.GetBackend(), build, len(inputs), weightTables+1, true, true, true)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := exec.Call(inputs...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outputs[weightTables].Value().(float64),
		n.objective(sequences, advantages); math.Abs(got-want) > 1e-10 {
		t.Errorf("the objective is %v, want %v", got, want)
	}
	for i := range n.tables {
		gradient, err := tensors.CopyFlatData[float64](outputs[i])
		if err != nil {
			t.Fatal(err)
		}
		nonzero := 0
		for range 150 {
			j := rng.IntN(len(gradient))
			if want := n.slope(i, j, sequences, advantages); math.Abs(gradient[j]-want) > 1e-7 {
				t.Fatalf("table %d, weight %d: gradient %v, by differences %v", i, j, gradient[j], want)
			}
			if math.Abs(gradient[j]) > 1e-4 {
				nonzero++
			}
		}
		if nonzero < 30 {
			t.Errorf("table %d: only %d of 150 weights have a gradient", i, nonzero)
		}
	}
}

// TestFirstUpdateGoesUphill checks that Adam's first step moves each weight by the learning rate
// in the direction of its gradient. Five sequences are padded to eight.
func TestFirstUpdateGoesUphill(t *testing.T) {
	const length, symbols = 4, 3
	rng := rand.New(rand.NewPCG(3, 4))
	n := randomNetwork(length, symbols, rng)
	sequences, rewards := randomSequences(5, length, symbols, rng)
	mean := stat.Mean(rewards, nil)
	advantages := make([]float64, len(rewards))
	for i, r := range rewards {
		advantages[i] = (r - mean) / float64(len(rewards))
	}
	c := n.controller()
	before := networkOf(t, c)
	emitted, padded := c.batch(sequences, rewards)
	if len(padded) != 8 {
		t.Errorf("room for %d sequences, want 8", len(padded))
	}
	if err := c.update(emitted, padded); err != nil {
		t.Fatal(err)
	}
	after := networkOf(t, c)
	checked := 0
	for i := range n.tables {
		for range 100 {
			j := rng.IntN(len(n.tables[i]))
			slope := n.slope(i, j, sequences, advantages)
			if math.Abs(slope) < 1e-4 {
				continue
			}
			checked++
			if got, want := after.tables[i][j]-before.tables[i][j],
				math.Copysign(learningRate, slope); math.Abs(got-want) > 0.01*learningRate {
				t.Fatalf("table %d, weight %d with gradient %v moved by %v, want %v", i, j, slope, got, want)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d weights had a gradient", checked)
	}
}

// TestDrawsFollowTheProbabilities compares the frequencies of 27 sequences with their
// probabilities.
func TestDrawsFollowTheProbabilities(t *testing.T) {
	const length, symbols, draws = 3, 3, 20_000
	rng := rand.New(rand.NewPCG(5, 6))
	n := randomNetwork(length, symbols, rng)
	drawn, err := n.controller().Sample(draws, rng)
	if err != nil {
		t.Fatal(err)
	}
	sum, distance := 0.0, 0.0
	for index := range 27 {
		sequence := []int{index / 9, index / 3 % 3, index % 3}
		times := 0
		for _, d := range drawn {
			if slices.Equal(d, sequence) {
				times++
			}
		}
		probability := math.Exp(n.logProbability(sequence))
		sum += probability
		distance += math.Pow(float64(times)-draws*probability, 2) / (draws * probability)
	}
	if math.Abs(sum-1) > 1e-10 {
		t.Errorf("the probabilities sum to %v", sum)
	}
	if tail := 1 - (distuv.ChiSquared{K: 26}).CDF(distance); tail < 1e-3 {
		t.Errorf("chi squared is %v: draws as far off have probability %v", distance, tail)
	}
}

// share returns the share of drawn sequences with a symbol at a position.
func share(t *testing.T, c *Controller, place, symbol int) float64 {
	t.Helper()
	drawn, err := c.Sample(2000, rand.New(rand.NewPCG(9, 9)))
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	for _, sequence := range drawn {
		if sequence[place] == symbol {
			times++
		}
	}
	return float64(times) / float64(len(drawn))
}

func TestRewardMakesASymbolLikely(t *testing.T) {
	const length, symbols, place, symbol = 9, 7, 4, 2
	rng := rand.New(rand.NewPCG(7, 8))
	c := New(length, symbols, rng)
	before := share(t, c, place, symbol)
	if math.Abs(before-1.0/symbols) > 0.05 {
		t.Errorf("at first the symbol has a share of %v, want about 1 of %d", before, symbols)
	}
	for range 12 {
		drawn, err := c.Sample(8, rng)
		if err != nil {
			t.Fatal(err)
		}
		rewards := make([]float64, len(drawn))
		for i, sequence := range drawn {
			if sequence[place] == symbol {
				rewards[i] = 1
			}
		}
		if err := c.Learn(drawn, rewards); err != nil {
			t.Fatal(err)
		}
	}
	if after := share(t, c, place, symbol); after < 0.6 {
		t.Errorf("the share of the rewarded symbol went from %v to %v only", before, after)
	}
}

func TestBaselineMoves(t *testing.T) {
	c := New(2, 3, rand.New(rand.NewPCG(1, 1)))
	sequences := [][]int{{0, 1}, {2, 2}}
	for i, step := range []struct {
		rewards, advantages []float64
	}{
		{[]float64{1, 3}, []float64{-0.5, 0.5}}, // over their mean of 2
		{[]float64{1, 1}, []float64{-0.5, -0.5}},
		{[]float64{1.8, 2}, []float64{0, 0.1}}, // over 0.8·2 + 0.2·1
	} {
		_, advantages := c.batch(sequences, step.rewards)
		for j, want := range step.advantages {
			if math.Abs(float64(advantages[j])-want) > 1e-6 {
				t.Errorf("call %d: advantages %v, want %v", i+1, advantages, step.advantages)
			}
		}
	}
}

func TestEqualRewardsTeachNothing(t *testing.T) {
	c := New(4, 3, rand.New(rand.NewPCG(1, 1)))
	before := networkOf(t, c)
	sequences := [][]int{{0, 1, 2, 0}, {2, 2, 2, 2}, {1, 0, 1, 0}}
	if err := c.Learn(sequences, []float64{0.25, 0.25, 0.25}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, networkOf(t, c)) {
		t.Error("the weights changed")
	}
}

func TestSameSeedsSameSequences(t *testing.T) {
	history := func(seed, draws uint64) (all [][]int) {
		c := New(4, 5, rand.New(rand.NewPCG(seed, 0)))
		rng := rand.New(rand.NewPCG(draws, 1))
		for range 6 {
			drawn, err := c.Sample(8, rng)
			if err != nil {
				t.Fatal(err)
			}
			rewards := make([]float64, len(drawn))
			for i, sequence := range drawn {
				rewards[i] = float64(sequence[0] - sequence[3])
			}
			if err := c.Learn(drawn, rewards); err != nil {
				t.Fatal(err)
			}
			all = append(all, drawn...)
		}
		return all
	}
	first := history(1, 1)
	if !reflect.DeepEqual(first, history(1, 1)) {
		t.Error("the same seeds gave other sequences")
	}
	if reflect.DeepEqual(first, history(2, 1)) || reflect.DeepEqual(first, history(1, 2)) {
		t.Error("another seed gave the same sequences")
	}
}
