package search

import "math"

// Reduction is the factor of successive halving: each rung has three times the epochs of the one
// below and keeps a third of the structures (Jamieson and Talwalkar, 2016; η in Li et al., 2018).
const Reduction = 3

// LeastEpochs returns the smallest number of epochs of a full training above some rungs.
func LeastEpochs(rungs int) int { return int(math.Pow(Reduction, float64(rungs))) }

// RungCost returns the average cost of a structure in full trainings, promotions included.
func RungCost(rungs int) float64 {
	return float64(rungs+1) / math.Pow(Reduction, float64(rungs))
}

// DefaultHalving returns the number of rungs for a full training of some epochs.
func DefaultHalving(epochs int) int {
	switch {
	case epochs >= 18:
		return 2
	case epochs >= 6:
		return 1
	}
	return 0
}
