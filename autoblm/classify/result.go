package classify

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// ErrDiverged marks a member whose loss stopped being a finite number; a smaller
// learning rate is the usual mend.
var ErrDiverged = errors.New("training diverged")

// divergence is that of a member in an epoch.
type divergence struct {
	epoch int
	rate  float64
}

func diverged(epoch int, m Member) error { return divergence{epoch, m.LearningRate} }

func (d divergence) Error() string {
	return fmt.Sprintf("%v in epoch %d (learning rate %g): try a smaller learning rate", ErrDiverged, d.epoch, d.rate)
}

func (d divergence) Unwrap() error { return ErrDiverged }

// Result is what a member came to.
type Result struct {
	Member Member
	// CVAccuracy is the share of the nodes to train with that are classified right
	// while held out, after Epochs epochs, and CVLoss their mean cross entropy; of all
	// divisions together.
	CVAccuracy, CVLoss float64
	// Epochs is the number of epochs after which that is best; where it is so more
	// than once, after which the cross entropy is lowest. It is chosen by the nodes
	// held out, so CVAccuracy is a little higher than it would be on new ones.
	Epochs int
	// Curve is how cross-validation went.
	Curve []Validation
	// TestAccuracies are the shares of the nodes to test with that are classified
	// right by models trained for so many epochs on all nodes to train with.
	TestAccuracies []float64
	// Model is the first of these models, where models are kept.
	Model *Model
	// StoppedEarly says where the deadline has stopped the training; nil if it has not.
	StoppedEarly *EarlyStop
	// Err wraps [ErrDiverged] when the member diverged; the rest is then empty.
	Err error
}

// EarlyStop says where a deadline has stopped the training of a member.
type EarlyStop struct {
	// Phase is what was stopped first, "cross-validation" or "test".
	Phase string `json:"phase"`
	// Epoch is the number of epochs done, of Epochs.
	Epoch  int `json:"epoch"`
	Epochs int `json:"epochs"`
}

// Validation is how well nodes held out are classified after an epoch.
type Validation struct {
	Epoch    int     `json:"epoch"`
	Accuracy float64 `json:"accuracy"`
	Loss     float64 `json:"loss"` // cross entropy, the mean
}

// TestAccuracy is the mean of the runs, and their standard deviation; 0 and 0 for
// none.
func (r Result) TestAccuracy() (mean, deviation float64) {
	switch len(r.TestAccuracies) {
	case 0:
		return 0, 0
	case 1:
		return r.TestAccuracies[0], 0
	}
	return stat.MeanStdDev(r.TestAccuracies, nil)
}

// addValidation adds a validation to the curve.
func (r *Result) addValidation(epoch int, scores []score) {
	var all score
	for _, s := range scores {
		all.add(s)
	}
	now := Validation{Epoch: epoch, Accuracy: all.accuracy(), Loss: all.loss / float64(all.nodes)}
	if len(r.Curve) == 0 || now.Accuracy > r.CVAccuracy || now.Accuracy == r.CVAccuracy && now.Loss < r.CVLoss {
		r.CVAccuracy, r.CVLoss, r.Epochs = now.Accuracy, now.Loss, epoch
	}
	r.Curve = append(r.Curve, now)
}
