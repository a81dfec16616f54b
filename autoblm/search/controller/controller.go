package controller

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"
)

const (
	// hidden is the number of units of the LSTM.
	hidden = 32
	// initialRange bounds the uniform initial weights, as in NAS. All symbols are then almost
	// equally likely at first.
	initialRange = 0.08
	// learningRate is Adam's. Learn makes updates steps per call. In a test, the reward was the
	// number of entries equal to those of a hidden structure with four chunks. A single step per
	// call learned little from 64 sequences. Higher rates settled on one sequence before 256.
	learningRate = 0.01
	updates      = 3
	// memoryOfBaseline is the weight of the old baseline in its moving average.
	memoryOfBaseline = 0.8
)

// Controller is a policy over sequences of symbols. The same calls with the same random
// numbers give the same sequences. It is not safe for concurrent use.
type Controller struct {
	length, symbols int
	state           []*tensors.Tensor // the weights, then Adam's two moments of each
	count           int               // updates so far
	baseline        float64           // NaN before the first rewards
}

// New makes a controller for sequences of the given length, at least 2, over the
// symbols 0…symbols-1, with weights drawn from rng.
func New(length, symbols int, rng *rand.Rand) *Controller {
	c := &Controller{length: length, symbols: symbols, baseline: math.NaN()}
	var moments []*tensors.Tensor
	for _, table := range tables(length, symbols) {
		numbers := make([]float32, table.Size())
		for i := range numbers {
			numbers[i] = float32(initialRange * (2*rng.Float64() - 1))
		}
		c.state = append(c.state, tensors.FromFlatDataAndDimensions(numbers, table.Dimensions...))
		moments = append(moments, tensors.FromShape(table))
	}
	c.state = append(c.state, moments...)
	for _, moment := range moments {
		c.state = append(c.state, tensors.FromShape(moment.Shape()))
	}
	return c
}

// Learn makes sequences with rewards above the baseline more likely, and others less likely. Each
// of them, at least one, has the length of the controller and a reward.
// The baseline of the first call is its mean reward; later ones are moving averages of the
// earlier calls. The controller should have drawn the sequences since the last call.
func (c *Controller) Learn(sequences [][]int, rewards []float64) error {
	emitted, advantages := c.batch(sequences, rewards)
	for range updates {
		if err := c.update(emitted, advantages); err != nil {
			return fmt.Errorf("update the controller: %w", err)
		}
	}
	return nil
}

// batch returns sequences as [L, B] and their advantages [B] over the baseline, and updates
// the baseline. B is the next power of two, so that few shapes are compiled; the padding has
// advantage 0.
func (c *Controller) batch(
	sequences [][]int, rewards []float64,
) (emitted []int32, advantages []float32) {
	mean := stat.Mean(rewards, nil)
	baseline := c.baseline
	if math.IsNaN(baseline) {
		baseline = mean
	}
	room := 1 << bits.Len(uint(len(sequences)-1))
	emitted, advantages = make([]int32, c.length*room), make([]float32, room)
	for i, sequence := range sequences {
		for place, symbol := range sequence {
			emitted[place*room+i] = int32(symbol)
		}
		advantages[i] = float32((rewards[i] - baseline) / float64(len(rewards)))
	}
	c.baseline = memoryOfBaseline*baseline + (1-memoryOfBaseline)*mean
	return emitted, advantages
}

// update applies one update.
func (c *Controller) update(sequences []int32, advantages []float32) error {
	p, err := compiled()
	if err != nil {
		return err
	}
	c.count++
	state, err := call(p.update, c.state,
		tensors.FromFlatDataAndDimensions(sequences, c.length, len(advantages)),
		tensors.FromFlatDataAndDimensions(advantages, len(advantages)),
		tensors.FromScalar(float32(c.count)))
	if err != nil {
		return err
	}
	free(c.state)
	c.state = state
	return nil
}

// Sample draws n sequences, each independently of the others.
func (c *Controller) Sample(n int, rng *rand.Rand) ([][]int, error) {
	p, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("sample from the controller: %w", err)
	}
	noise := make([]float32, c.length*n*c.symbols)
	for i := range noise {
		noise[i] = float32(-math.Log(rng.ExpFloat64()))
	}
	outputs, err := call(p.draw, c.state[:weightTables],
		tensors.FromFlatDataAndDimensions(noise, c.length, n, c.symbols))
	if err != nil {
		return nil, fmt.Errorf("sample from the controller: %w", err)
	}
	emitted, err := tensors.CopyFlatData[int32](outputs[0])
	free(outputs)
	if err != nil {
		return nil, fmt.Errorf("sample from the controller: %w", err)
	}
	sequences := make([][]int, n)
	for i := range sequences {
		sequences[i] = make([]int, c.length)
		for place := range sequences[i] {
			sequences[i][place] = int(emitted[place*n+i])
		}
	}
	return sequences, nil
}
