package reproduce

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Result holds the results of a reproduction so far.
type Result struct {
	Dataset string `json:"dataset"`
	Stage   Stage  `json:"stage"`
	Seed    uint64 `json:"seed"`
	// Complete reports whether all stages are complete.
	Complete bool `json:"complete"`
	// Engine and Backend describe the last call that trained.
	Engine  string    `json:"engine"`
	Backend string    `json:"backend"`
	Search  *Searched `json:"search,omitempty"`
	Final   *Trained  `json:"final,omitempty"`
}

// Searched holds the results of the search so far.
type Searched struct {
	Algorithm string          `json:"algorithm"`
	Recipe    string          `json:"recipe"` // name of the recipe of Settings
	Settings  search.Settings `json:"settings"`
	Precision kge.Precision   `json:"precision"` // as resolved
	Budget    int             `json:"budget"`
	Trained   int             `json:"trained"`
	Failed    int             `json:"failed"`
	Complete  bool            `json:"complete"`
	// Stopped is the reason why the last call ended.
	Stopped search.Stop `json:"stopped"`
	// Seconds is the time of all trials, Overhead that of strategy, filter and predictor.
	Seconds  float64 `json:"seconds"`
	Overhead float64 `json:"overhead"`
	// Best has the best structures found. Baselines have the same settings.
	Best      []Found `json:"best"`
	Baselines []Found `json:"baselines"`
}

// Found is a trained structure of a search.
type Found struct {
	Name      string              `json:"name,omitempty"`
	Structure structure.Structure `json:"structure"`
	ValidMRR  float64             `json:"valid_mrr"`
	TestMRR   float64             `json:"test_mrr"`
}

// Trained holds the results of the final training so far.
type Trained struct {
	Recipe    string        `json:"recipe"` // name of the recipe; explicit flags override it
	Training  kge.Training  `json:"training"`
	Precision kge.Precision `json:"precision"` // as resolved
	// Epochs is the number of complete epochs. The metrics belong to BestEpoch.
	Epochs    int  `json:"epochs"`
	BestEpoch int  `json:"best_epoch"`
	Complete  bool `json:"complete"`
	// Error describes the divergence of the training, if it diverged.
	Error string `json:"error,omitempty"`
	// Seconds has the times of all calls together.
	Seconds     kge.Timing             `json:"seconds"`
	Loss        []float64              `json:"loss"`
	Validations []kge.Validation       `json:"validations"`
	Valid       *completion.Evaluation `json:"valid"`
	Test        *completion.Evaluation `json:"test"`
	// Published has the results that the source of the recipe reports.
	Published *recipe.Published `json:"published"`
}

// Title returns the title of the trained model.
func (t Trained) Title() string {
	m := t.Training.Member
	if m.Form == form.GQE {
		return "RESCAL" // GQE on triples is RESCAL
	}
	return t.Training.Settings.FormOf(m).Title(m.Structure)
}
