package completion

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/memory"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// EnsembleSettings configure [ChooseEnsemble].
type EnsembleSettings struct {
	// Size is the maximum number of members.
	Size int `json:"size" min:"1" max:"1024" help:"Maximum number of members of the ensemble."`
	// Folds is the number of folds of the validation triples that select the size.
	Folds int `json:"folds" min:"2" max:"1000" brief:"Folds of the validation triples that select the size." help:"Folds of the validation triples: ensembles chosen without a fold are measured on it, which selects the size."`
}

// DefaultEnsemble returns a maximum size of 16, and 5 folds.
func DefaultEnsemble() EnsembleSettings { return EnsembleSettings{Size: 16, Folds: 5} }

// Choice reports how the members of an ensemble were chosen, by the filtered MRR of validation
// triples with ties counted against the ensemble.
type Choice struct {
	EnsembleSettings
	// Candidates is the number of different models.
	Candidates int `json:"candidates"`
	// Triples is the number of validation triples used, if not all.
	Triples int `json:"triples,omitempty"`
	// Order has the members in the order of their selection, as indices in the ensemble.
	Order []int `json:"order"`
	// Fitted has the MRR of the first member, of the first two, and so on, on the triples used for
	// selection. It is biased upwards.
	Fitted []float64 `json:"fitted"`
	// HeldOut has the cross-validated MRR of ensembles of one member, of two, and so on. Each
	// triple is ranked by an ensemble that was chosen without its fold. So the MRR is biased only
	// by the choice of the best size. It is nil if there are too few triples for folds.
	HeldOut []float64 `json:"held_out"`
}

// check returns an error if the choice does not have a number of members.
func (c *Choice) check(members int) error {
	order := slices.Sorted(slices.Values(c.Order))
	for i, index := range order {
		if i != index {
			order = nil
			break
		}
	}
	if len(order) != members || len(c.Fitted) != members ||
		len(c.HeldOut) > 0 && len(c.HeldOut) < members {
		return fmt.Errorf("choice does not match the %s: remove it", format.Count(members, "member"))
	}
	return nil
}

// Unseen returns the held-out MRR at the chosen size; nil if it is unknown.
func (c *Choice) Unseen() *float64 {
	if c == nil || len(c.HeldOut) == 0 {
		return nil
	}
	return &c.HeldOut[len(c.Order)-1]
}

// ChooseEnsemble selects an ensemble from models greedily, following Caruana et al. ("Ensemble
// selection from libraries of models", ICML 2004). It starts with the best model and repeatedly
// adds the one that gives the highest filtered MRR of the validation triples of g. Unlike in that
// paper, a model joins only once: members have equal weights, and fewer choices overfit less.
//
// It does not stop when the MRR falls. Cross-validation selects the size: for each fold of the
// triples, the same selection without the fold is measured on the fold.
//
// If there are too many pairs of validation triples and entities, a fixed sample of the triples is
// used.
//
// The models and g belong to one graph, with any ids. Repeated models count once. The result
// depends on the models, not on their order.
func ChooseEnsemble(
	ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph,
	s EnsembleSettings,
) (*Ensemble, error) {
	if err := settings.Check(s); err != nil {
		return nil, err
	}
	candidates, _, err := Deduplicate(models)
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, errors.New("there is no model to choose: give at least one")
	}
	if g, err = Align(candidates[0], g); err != nil {
		return nil, err
	}
	triples, err := splitOf(candidates, g, "valid", 0)
	if err != nil {
		return nil, fmt.Errorf("an ensemble is chosen by validation: %w", err)
	}
	all := len(triples)
	triples = selectionTriples(triples, len(g.Entities))
	folds := foldCount(len(triples), s.Folds)
	bytes := 16 * float64(folds+1) * float64(len(candidates)) * float64(len(triples))
	work := "choosing among " + format.Count(len(candidates), "model")
	if err := memory.Check(bytes, work, "take fewer models or fewer folds"); err != nil {
		return nil, err
	}
	r, err := newEnsembleRanker(ctx, engine, candidates, triples, g)
	if err != nil {
		return nil, err
	}
	defer r.close()
	rate := func(ensembles [][]int) ([][][]float64, error) {
		return r.reciprocalRanks(ctx, ensembles, len(triples))
	}
	choice, err := choose(len(candidates), len(triples), s, rate)
	if err != nil {
		return nil, err
	}
	if len(triples) < all {
		choice.Triples = len(triples)
	}
	return chosenEnsemble(candidates, choice), nil
}

const (
	// maxPairs limits the pairs of a triple and an entity. The time of a selection is proportional
	// to their number, and to the numbers of models, folds and members.
	maxPairs = 1 << 23
	// minTriples is the smallest sample of triples for a selection.
	minTriples = 500
)

// selectionTriples returns the triples, or a sample, for a selection.
func selectionTriples(triples []datasets.Triple, entities int) []datasets.Triple {
	return eval.Sample(triples, max(minTriples, maxPairs/max(1, entities)))
}

// chosenEnsemble returns the chosen candidates, which are in the order of an ensemble. It turns the
// choice's indices of candidates into indices of members.
func chosenEnsemble(candidates []*kge.Model, choice Choice) *Ensemble {
	e := &Ensemble{Choice: &choice}
	indices := slices.Sorted(slices.Values(choice.Order))
	for i, index := range choice.Order {
		choice.Order[i], _ = slices.BinarySearch(indices, index)
	}
	for _, index := range indices {
		e.Members = append(e.Members, candidates[index])
	}
	return e
}

// reciprocalRanks extends each ensemble by each model. It returns the reciprocal ranks by ensemble,
// model and triple, as means over both sides; nil for a model that is in the ensemble.
func (r *ensembleRanker) reciprocalRanks(
	ctx context.Context, ensembles [][]int, triples int,
) ([][][]float64, error) {
	models := make([]int, len(r.rankers))
	for i := range models {
		models[i] = i
	}
	ranks := make([][][]float64, len(ensembles))
	for e, ensemble := range ensembles {
		ranks[e] = make([][]float64, len(models))
		for m := range models {
			if !slices.Contains(ensemble, m) {
				ranks[e][m] = make([]float64, 2*triples)
			}
		}
	}
	err := r.rank(ctx, ensembles, models, func(ensemble, model, slot int, rank eval.Rank) {
		ranks[ensemble][model][slot] = 1 / rank.Under(eval.Pessimistic)
	})
	for _, byModel := range ranks {
		for m, sides := range byModel {
			for i := range len(sides) / 2 {
				sides[i] = (sides[2*i] + sides[2*i+1]) / 2
			}
			byModel[m] = sides[:len(sides)/2]
		}
	}
	return ranks, err
}

// foldCount returns the number of folds of triples; 0 if they are too few.
func foldCount(triples, folds int) int {
	if folds = min(folds, triples); folds < 2 {
		return 0
	}
	return folds
}

// selection is the state of a greedy selection on some of the triples. Its slices have an element
// for each size.
type selection struct {
	uses     func(triple int) bool
	members  []int       // in the order of selection
	mrr      []float64   // over the triples that it uses
	byTriple [][]float64 // reciprocal ranks of all triples
}

// choose selects among candidates. rate receives ensembles as ascending lists and returns their
// reciprocal ranks; see reciprocalRanks. Triple i is in fold i mod folds.
func choose(
	candidates, triples int, s EnsembleSettings,
	rate func(ensembles [][]int) ([][][]float64, error),
) (Choice, error) {
	folds := foldCount(triples, s.Folds)
	whole := &selection{uses: func(int) bool { return true }}
	selections := []*selection{whole}
	for fold := range folds {
		uses := func(triple int) bool { return triple%folds != fold }
		selections = append(selections, &selection{uses: uses})
	}
	for range min(s.Size, candidates) {
		var ensembles [][]int // without repetitions
		indices := map[string]int{}
		indexOf := make([]int, len(selections)) // in ensembles
		for i, c := range selections {
			ensemble := slices.Sorted(slices.Values(c.members))
			key := fmt.Sprint(ensemble)
			if _, found := indices[key]; !found {
				indices[key] = len(ensembles)
				ensembles = append(ensembles, ensemble)
			}
			indexOf[i] = indices[key]
		}
		rated, err := rate(ensembles)
		if err != nil {
			return Choice{}, err
		}
		for i, c := range selections {
			c.add(rated[indexOf[i]])
		}
	}
	c := Choice{EnsembleSettings: s, Candidates: candidates}
	bySize := whole.mrr
	if folds > 0 {
		c.HeldOut = make([]float64, len(whole.members))
		for i := range c.HeldOut {
			sum := 0.0
			for triple := range triples {
				sum += selections[1+triple%folds].byTriple[i][triple]
			}
			c.HeldOut[i] = sum / float64(triples)
		}
		bySize = c.HeldOut
	}
	size := 1 + slices.Index(bySize, slices.Max(bySize))
	c.Order, c.Fitted = whole.members[:size], whole.mrr[:size]
	return c, nil
}

// add adds the candidate that gives the highest MRR. Among equal ones it adds the first.
func (s *selection) add(rated [][]float64) {
	best, highest := -1, 0.0
	for candidate, byTriple := range rated {
		if byTriple == nil {
			continue
		}
		sum, used := 0.0, 0
		for triple, value := range byTriple {
			if s.uses(triple) {
				sum, used = sum+value, used+1
			}
		}
		if mrr := sum / float64(max(1, used)); best < 0 || mrr > highest {
			best, highest = candidate, mrr
		}
	}
	s.members, s.mrr = append(s.members, best), append(s.mrr, highest)
	s.byTriple = append(s.byTriple, rated[best])
}
