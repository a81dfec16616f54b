package classify

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// ErrDiverged reports a member whose loss exploded or is no longer finite. A smaller learning rate
// usually helps.
var ErrDiverged = errors.New("training diverged")

// Result holds the results of one member.
type Result struct {
	Member Member `json:"member"`
	// CVAccuracy is the share of training nodes that are classified correctly while held out,
	// after Epochs epochs, and CVLoss their mean cross entropy; both over all repeats.
	CVAccuracy float64 `json:"cv_accuracy"`
	CVLoss     float64 `json:"cv_loss"`
	// Epochs is the best number of epochs, by accuracy and then by cross entropy. It is chosen on
	// the held-out nodes, which makes CVAccuracy slightly too high.
	Epochs int `json:"epochs"`
	// Curve has the validations of the cross-validation.
	Curve []Validation `json:"curve"`
	// TestAccuracies are the shares of test nodes that are classified correctly by models trained
	// for Epochs epochs on all training nodes.
	TestAccuracies []float64 `json:"test_accuracies"`
	// Model is the first of these models, if models are kept.
	Model *Model `json:"-"`
	// StoppedEarly says where the deadline has stopped the training; nil if it has not.
	StoppedEarly *EarlyStop `json:"-"`
	// Diverged is the epoch in which the member diverged, or 0. Err wraps [ErrDiverged] then, and
	// the other results are empty.
	Diverged int   `json:"diverged,omitempty"`
	Err      error `json:"-"`
}

// EarlyStop says where a deadline has stopped the training of a member.
type EarlyStop struct {
	// Phase is the first phase that was stopped, "cross-validation" or "test".
	Phase string `json:"phase"`
	// Epoch is the number of epochs done, of Epochs.
	Epoch  int `json:"epoch"`
	Epochs int `json:"epochs"`
}

// Validation reports how well held-out nodes are classified after an epoch.
type Validation struct {
	Epoch    int     `json:"epoch"`
	Accuracy float64 `json:"accuracy"`
	Loss     float64 `json:"loss"` // mean cross entropy
}

// TestAccuracy returns the mean and the standard deviation over the runs; 0 without runs.
func (r Result) TestAccuracy() (mean, deviation float64) {
	switch len(r.TestAccuracies) {
	case 0:
		return 0, 0
	case 1:
		return r.TestAccuracies[0], 0
	}
	return stat.MeanStdDev(r.TestAccuracies, nil)
}

// addValidation adds the scores of the held-out folds after an epoch.
func (r *Result) addValidation(epoch int, folds []score) {
	var all score
	for _, s := range folds {
		all.add(s)
	}
	v := Validation{Epoch: epoch, Accuracy: all.accuracy(), Loss: all.loss / float64(all.nodes)}
	if len(r.Curve) == 0 || v.Accuracy > r.CVAccuracy ||
		v.Accuracy == r.CVAccuracy && v.Loss < r.CVLoss {
		r.CVAccuracy, r.CVLoss, r.Epochs = v.Accuracy, v.Loss, epoch
	}
	r.Curve = append(r.Curve, v)
}

// diverged replaces the results of a member by the error that it diverged in an epoch.
func (r *Result) diverged(epoch int) {
	err := fmt.Errorf("%w in epoch %d (learning rate %g): try a smaller learning rate",
		ErrDiverged, epoch, r.Member.LearningRate)
	*r = Result{Member: r.Member, Diverged: epoch, Err: err}
}
