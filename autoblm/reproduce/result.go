package reproduce

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Result is what a reproduction came to so far.
type Result struct {
	Dataset string `json:"dataset"`
	Stage   Stage  `json:"stage"`
	Seed    uint64 `json:"seed"`
	// Complete is whether nothing is left to do.
	Complete bool `json:"complete"`
	// Engine and Backend did the arithmetic of the last piece.
	Engine  string    `json:"engine"`
	Backend string    `json:"backend"`
	Search  *Searched `json:"search,omitempty"`
	Final   *Trained  `json:"final,omitempty"`
}

// Searched is what the search came to so far.
type Searched struct {
	Algorithm string `json:"algorithm"`
	// Recipe is the name of the recipe that Settings are by.
	Recipe   string          `json:"recipe"`
	Settings search.Settings `json:"settings"`
	// Precision is what the asked one came to.
	Precision kge.Precision `json:"precision"`
	Budget    int           `json:"budget"`
	Trained   int           `json:"trained"`
	Failed    int           `json:"failed"`
	Complete  bool          `json:"complete"`
	// Stopped says why the last piece ended.
	Stopped search.Stop `json:"stopped"`
	// Seconds is the time that all trials took, and Overhead that of strategy, filter
	// and predictor.
	Seconds  float64 `json:"seconds"`
	Overhead float64 `json:"overhead"`
	// Best are the best structures found, and Named the models that people designed,
	// under the same settings.
	Best  []Found `json:"best"`
	Named []Found `json:"named"`
}

// Found is a structure of a search.
type Found struct {
	Name      string              `json:"name,omitempty"`
	Structure structure.Structure `json:"structure"`
	ValidMRR  float64             `json:"valid_mrr"`
	TestMRR   float64             `json:"test_mrr"`
}

// Trained is what the final training came to so far.
type Trained struct {
	// Recipe is the name of the recipe that Training is by, where flags did not say
	// otherwise.
	Recipe   string       `json:"recipe"`
	Training kge.Training `json:"training"`
	// Precision is what the asked one came to.
	Precision kge.Precision `json:"precision"`
	// Epochs are those that are over, and BestEpoch is the one that the metrics are of.
	Epochs    int  `json:"epochs"`
	BestEpoch int  `json:"best_epoch"`
	Complete  bool `json:"complete"`
	// Error says that the training diverged, if it did.
	Error string `json:"error,omitempty"`
	// Seconds is the time of all pieces.
	Seconds     kge.Timing             `json:"seconds"`
	Loss        []float64              `json:"loss"`
	Validations []kge.Validation       `json:"validations"`
	Valid       *completion.Evaluation `json:"valid"`
	Test        *completion.Evaluation `json:"test"`
	// Published is what the recipe's source reached.
	Published *recipe.Published `json:"published"`
}

// Title names the model that was trained.
func (t Trained) Title() string {
	switch m := t.Training.Member; m.Form {
	case form.Bilinear:
		return m.Structure.Title()
	case form.GQE:
		return "RESCAL" // which it is on triples
	default:
		return m.Form.String()
	}
}
