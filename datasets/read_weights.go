package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/autoblm/autoblm-go/datasets/facts"
)

// TypesFile is the file of a folder with the declared types of its entities.
const TypesFile = "entity2type.txt"

const weightsFile = "weights.txt" // of a folder, with the weights of its training triples

// sum returns the sum of weights.
func sum(weights []float32) (total float64) {
	for _, w := range weights {
		total += float64(w)
	}
	return total
}

// readWeights reads the weights of a number of training triples; nil without the file.
func readWeights(open opener, triples int) (weights []float32, err error) {
	text, err := open.first(weightsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = visitLines(text, func(line []byte) error {
		w, err := strconv.ParseFloat(string(line), 32)
		if err != nil || !(w >= 0 && w <= facts.MaxWeight) {
			return fmt.Errorf("the weight %q is not a number from 0 to %g", line, facts.MaxWeight)
		}
		weights = append(weights, float32(w))
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(weights) != triples:
		return nil, fmt.Errorf("%s has %d weights of %d training triples; "+
			"write one for each line of train", text.Path, len(weights), triples)
	case sum(weights) == 0:
		return nil, fmt.Errorf("%s: all weights are 0; at least one must be above", text.Path)
	}
	return weights, nil
}

// checkWeights returns an error unless there are no weights, or one for each of a number of training
// triples, which a file could hold.
func checkWeights(weights []float32, triples int) error {
	if weights == nil {
		return nil
	}
	if len(weights) != triples {
		return fmt.Errorf("%d weights for %d training triples: give one for each", len(weights), triples)
	}
	for i, w := range weights {
		if !(w >= 0 && w <= facts.MaxWeight) {
			return fmt.Errorf("the weight %g of training triple %d is not a number from 0 to %g",
				w, i, facts.MaxWeight)
		}
	}
	if sum(weights) == 0 {
		return errors.New("all weights are 0: at least one must be above")
	}
	return nil
}
