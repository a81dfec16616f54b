package kge

import "math"

// Occurrences holds the expected number of times that the training examples of an epoch use
// each row.
type Occurrences struct {
	Entities []float64 // as anchors and targets
	// Relations counts each relation together with its reverse, by the id of the relation.
	Relations []float64
}

// PenaltyScales holds the factors of penalties on rows; see [Weights.PenaltyFrequency]. Both are
// nil if all factors are 1.
type PenaltyScales struct {
	Entities  []float32
	Relations []float32 // a relation and its reverse share a factor
}

// PenaltyScales returns the factors of a member's penalties.
func (d *Data) PenaltyScales(w Weights) PenaltyScales {
	if w.PenaltyFrequency == 0 {
		return PenaltyScales{}
	}
	n := d.Occurrences()
	return PenaltyScales{
		Entities:  penaltyScales(n.Entities, w.PenaltyFrequency),
		Relations: penaltyScales(n.Relations, w.PenaltyFrequency),
	}
}

// penaltyScales returns n^-power for each row that occurs n times, divided by the mean over all
// occurrences.
func penaltyScales(occurrences []float64, power float64) []float32 {
	sum, all := 0.0, 0.0
	for _, n := range occurrences {
		if n > 0 {
			sum += math.Pow(n, 1-power)
			all += n
		}
	}
	scales := make([]float32, len(occurrences))
	for i, n := range occurrences {
		if n > 0 {
			scales[i] = float32(math.Pow(n, -power) * all / sum)
		}
	}
	return scales
}
