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

// EnsembleSettings say how [ChooseEnsemble] chooses.
type EnsembleSettings struct {
	// Size is how many members there are at most.
	Size int `json:"size" min:"1" max:"1024" brief:"How many members the ensemble has at most." help:"How many members the ensemble has at most."`
	// Folds is in how many parts the validation triples are cut to settle the size.
	Folds int `json:"folds" min:"2" max:"1000" brief:"Parts of the validation triples that are held out." help:"In how many parts the validation triples are cut: ensembles are chosen without one and measured on it, which settles the size."`
}

// DefaultEnsemble returns a size of 16 at most, and 5 folds.
func DefaultEnsemble() EnsembleSettings { return EnsembleSettings{Size: 16, Folds: 5} }

// Choice is how the members of an ensemble were chosen, by the filtered MRR of validation
// triples, ties counted against the ensemble.
type Choice struct {
	EnsembleSettings
	// Candidates is how many different models there were.
	Candidates int `json:"candidates"`
	// Triples is how many validation triples decided, where that was not all.
	Triples int `json:"triples,omitempty"`
	// Order has the members, by their places in the ensemble, as they were chosen.
	Order []int `json:"order"`
	// Fitted is the MRR of the first member, of the first two, and so on, on the triples by
	// which they were chosen: it is too high.
	Fitted []float64 `json:"fitted"`
	// HeldOut is the MRR of ensembles of at most one member, of two, and so on. Each triple is
	// ranked by an ensemble that was chosen in the same way without its fold; so this is what
	// choosing comes to on triples that had no part in it, but for the size, which is where
	// it is largest. It is nil where there are too few triples to cut.
	HeldOut []float64 `json:"held_out"`
}

// check says so if the choice is not of so many members.
func (c *Choice) check(members int) error {
	order := slices.Sorted(slices.Values(c.Order))
	for i, place := range order {
		if i != place {
			order = nil
			break
		}
	}
	if len(order) != members || len(c.Fitted) != members || len(c.HeldOut) > 0 && len(c.HeldOut) < members {
		return fmt.Errorf("choice does not tell of the %s: remove it", format.Count(members, "member"))
	}
	return nil
}

// Unseen is the held-out MRR of ensembles of the size of this one, nil where that is not known.
func (c *Choice) Unseen() *float64 {
	if c == nil || len(c.HeldOut) == 0 {
		return nil
	}
	return &c.HeldOut[len(c.Order)-1]
}

// ChooseEnsemble makes an ensemble of some of the models, chosen greedily as by Caruana and others
// ("Ensemble selection from libraries of models", ICML 2004): it begins with the best and
// adds, again and again, the one with which the filtered MRR of the validation triples of g is
// highest. Each joins once at most, where the authors let it join again: sums with equal
// weights are what an ensemble is, and fewer choices fit less to the triples they are made by.
//
// The order goes on where a member lowers that, since it says little of the next: how many are
// taken, other triples say. The same is done without each of some folds of them, and the size is
// that which serves the triples left out best.
//
// Where all validation triples and all entities would be too many pairs, some triples decide,
// drawn evenly and always the same.
//
// The models are of one graph, which g is too, in whatever numbering; what is there again
// counts once. The result depends on the models, not on their order.
func ChooseEnsemble(ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph, s EnsembleSettings) (*Ensemble, error) {
	if err := settings.Check(s); err != nil {
		return nil, err
	}
	candidates, _, err := Distinct(models)
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, errors.New("there is no model to choose: give at least one")
	}
	if g, err = Align(candidates[0], g); err != nil {
		return nil, err
	}
	triples, err := splitOf(candidates, g, "valid")
	if err != nil {
		return nil, fmt.Errorf("an ensemble is chosen by validation: %w", err)
	}
	all := len(triples)
	triples = deciding(triples, len(g.Entities))
	folds := foldsOf(len(triples), s.Folds)
	if err := memory.Check(16*float64(folds+1)*float64(len(candidates))*float64(len(triples)), "choosing among "+format.Count(len(candidates), "model"), "take fewer, or fewer folds"); err != nil {
		return nil, err
	}
	p, err := newPanel(ctx, engine, candidates, triples, g)
	if err != nil {
		return nil, err
	}
	defer p.close()
	choice, err := choose(len(candidates), len(triples), s, func(ensembles [][]int) ([][][]float64, error) { return p.rate(ctx, ensembles, len(triples)) })
	if err != nil {
		return nil, err
	}
	if len(triples) < all {
		choice.Triples = len(triples)
	}
	return ensembleOf(candidates, choice), nil
}

// Pairs of a triple and an entity are what a choice takes its time for, once for each model,
// fold and member.
const (
	mostPairs     = 1 << 23
	leastDeciding = 500
)

// deciding are the triples that a choice is made by.
func deciding(triples []datasets.Triple, entities int) []datasets.Triple {
	return eval.Sample(triples, max(leastDeciding, mostPairs/max(1, entities)))
}

// ensembleOf has the members of a choice among models, which have the order of an ensemble.
func ensembleOf(candidates []*kge.Model, choice Choice) *Ensemble {
	t := &Ensemble{Choice: &choice}
	places := slices.Sorted(slices.Values(choice.Order))
	for i, place := range choice.Order {
		choice.Order[i], _ = slices.BinarySearch(places, place)
	}
	for _, place := range places {
		t.Members = append(t.Members, candidates[place])
	}
	return t
}

// rate gives, by ensemble and model, what each triple adds to the MRR of the ensemble with the
// model; nil for a model that is in the ensemble.
func (p *panel) rate(ctx context.Context, ensembles [][]int, triples int) ([][][]float64, error) {
	var all []int
	for i := range p.rankers {
		all = append(all, i)
	}
	rated := make([][][]float64, len(ensembles))
	for t, ensemble := range ensembles {
		rated[t] = make([][]float64, len(all))
		for m := range all {
			if !slices.Contains(ensemble, m) {
				rated[t][m] = make([]float64, 2*triples)
			}
		}
	}
	err := p.rank(ctx, ensembles, all, func(ensemble, model, place int, rank eval.Rank) {
		rated[ensemble][model][place] = 1 / rank.Under(eval.Pessimistic)
	})
	for _, byModel := range rated {
		for m, sides := range byModel {
			for i := range len(sides) / 2 {
				sides[i] = (sides[2*i] + sides[2*i+1]) / 2
			}
			byModel[m] = sides[:len(sides)/2]
		}
	}
	return rated, err
}

// foldsOf is how many folds so many triples have, 0 where they cannot be cut.
func foldsOf(triples, folds int) int {
	if folds = min(folds, triples); folds < 2 {
		return 0
	}
	return folds
}

// course is an ensemble that grows by some of the triples.
type course struct {
	sees     func(triple int) bool
	ensemble []int       // in the order of choice
	value    []float64   // of the ensemble of each size, over what it sees
	by       [][]float64 // of the ensemble of each size, by triple
}

// choose is the choice among candidates by what ensembles, ascending, come to with each of them
// on each triple. Which of the folds a triple is in is the rest of its number.
func choose(candidates, triples int, s EnsembleSettings, rate func(ensembles [][]int) ([][][]float64, error)) (Choice, error) {
	folds := foldsOf(triples, s.Folds)
	courses := []*course{{sees: func(int) bool { return true }}}
	for fold := range folds {
		courses = append(courses, &course{sees: func(triple int) bool { return triple%folds != fold }})
	}
	for range min(s.Size, candidates) {
		var ensembles [][]int // each once
		asks := map[string]int{}
		of := make([]int, len(courses))
		for i, c := range courses {
			ensemble := slices.Sorted(slices.Values(c.ensemble))
			key := fmt.Sprint(ensemble)
			if _, there := asks[key]; !there {
				asks[key] = len(ensembles)
				ensembles = append(ensembles, ensemble)
			}
			of[i] = asks[key]
		}
		rated, err := rate(ensembles)
		if err != nil {
			return Choice{}, err
		}
		for i, c := range courses {
			c.grow(rated[of[i]])
		}
	}
	whole := courses[0]
	c := Choice{EnsembleSettings: s, Candidates: candidates}
	settles := whole.value
	if folds > 0 {
		c.HeldOut = make([]float64, len(whole.ensemble))
		for i := range c.HeldOut {
			sum := 0.0
			for triple := range triples {
				sum += courses[1+triple%folds].by[i][triple]
			}
			c.HeldOut[i] = sum / float64(triples)
		}
		settles = c.HeldOut
	}
	size := 1 + slices.Index(settles, slices.Max(settles))
	c.Order, c.Fitted = whole.ensemble[:size], whole.value[:size]
	return c, nil
}

// grow adds the candidate with which the MRR is highest, the first of several.
func (c *course) grow(rated [][]float64) {
	best, most := -1, 0.0
	for candidate, byTriple := range rated {
		if byTriple == nil {
			continue
		}
		sum, seen := 0.0, 0
		for triple, value := range byTriple {
			if c.sees(triple) {
				sum, seen = sum+value, seen+1
			}
		}
		if value := sum / float64(max(1, seen)); best < 0 || value > most {
			best, most = candidate, value
		}
	}
	c.ensemble, c.value, c.by = append(c.ensemble, best), append(c.value, most), append(c.by, rated[best])
}
