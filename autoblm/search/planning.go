package search

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Shares of the time: what is not planned for is left for choosing, ranking and saving, and for
// what takes longer than it was taken to.
const (
	plannedShare = 0.85
	tuneShare    = 0.3
	searchShare  = 0.25
	// dearer is how much longer the recipes of a space take in the mean than the one to begin
	// with.
	dearer = 1.5
)

// Least numbers that a stage is worth its time with.
const (
	fewestRecipes    = 12
	fewestStructures = 24
)

// Most of each that are of use.
const (
	mostTried      = 120
	mostStructures = 512
	mostDim        = 2048
)

// planFor chooses what fits into the time that is left, but for what is asked for.
func planFor(s Settings, few bool, p Paces, used time.Duration) Plan {
	left := s.TimeLimit.Seconds()*plannedShare - used.Seconds()
	plan := Plan{Limit: s.TimeLimit, Used: used, Paces: p, Few: few}
	tune, search := left*tuneShare, left*searchShare
	if len(p.At) == 0 {
		return plan.untimed(s, left)
	}
	if !plan.tuned(s, tune, search) {
		if plan.Recipes = s.askedRecipes(); plan.Recipes == 0 {
			tune, search = 0, tune+search
		}
		plan.compared(s, search)
	}
	if plan.Structures < 1 && s.Planned.Epochs { // not even one epoch of the smallest fits
		plan.Structures, plan.Epochs = 2*named, s.leastEpochs()
		a, whole := p.of(plan.Dim), search/(3*named*float64(plan.Epochs))
		plan.MaxSteps = max(1, min(p.Steps, int((whole-a.End)/a.Step)))
	}
	plan.Structures = max(1, plan.Structures)
	if !s.Planned.Structures {
		plan.Structures = s.Budget
	}
	plan.again(s, p, left-tune-search)
	plan.Seconds = max(0, plan.Seconds+tune+search)
	plan.TuneUntil = used + seconds(tune/plannedShare)
	plan.SearchUntil = used + seconds((tune+search)/plannedShare)
	return plan
}

// untimed plans for what is asked for, of which nothing is left to choose.
func (p Plan) untimed(s Settings, left float64) Plan {
	p.Dim, p.Epochs, p.MaxSteps = s.Training.Dim, s.Training.Epochs, s.Training.MaxSteps
	p.Structures, p.Rungs, p.Recipes = s.Budget, s.Rungs, s.askedRecipes()
	p.Seconds = max(0, left)
	p.TuneUntil, p.SearchUntil = p.Used+seconds(left*tuneShare/plannedShare), p.Limit
	if s.Again > 0 {
		p.askedAgain(s)
		p.SearchUntil = p.Used + seconds(left*(tuneShare+searchShare)/plannedShare)
	}
	return p
}

// askedAgain trains again what is asked for.
func (p *Plan) askedAgain(s Settings) {
	p.LastPlan = LastPlan{Seeds: s.Again, Splits: s.Splits, Dims: s.AgainDims, AgainEpochs: cmp.Or(s.AgainEpochs, p.Epochs), AgainSteps: s.AgainSteps}
	p.Found, p.Named = s.timesAgain()
}

// Scores that a ranking may take before it is one of a sample, and the least sample.
const (
	mostScores   = 5e7
	fewestRanked = 300
)

// sampled is how many questions are ranked of a trial, 0 for all.
func sampled(size task.Size) int {
	most := max(fewestRanked, int(mostScores/float64(max(1, size.Entities))))
	if size.Validation <= most {
		return 0
	}
	return most
}

// tuned plans for tuning and for comparing by what was tuned, if there is time for both at some
// size.
func (p *Plan) tuned(s Settings, tune, search float64) bool {
	if s.Tune == nil {
		return false
	}
	fewest := fewestRecipes
	if asked := s.askedRecipes(); asked > 0 {
		fewest = asked
	}
	for _, size := range s.sizes() {
		p.Dim, p.Epochs, p.Rungs = size.dim, size.epochs, s.rungsOf(size.epochs)
		whole := p.Paces.training(p.Dim, p.Epochs, 0)
		confirmed := float64(tunedModels*confirmedRecipes*confirmingSeeds) * whole
		p.Recipes = min(max(mostTried, fewest), int((tune-named*whole-confirmed)/(dearer*tunedModels*whole*2/halving)))
		p.Structures = p.affords(search, whole)
		if p.Recipes >= fewest && p.Structures >= s.enough(fewestStructures) {
			if s.askedRecipes() > 0 {
				p.Recipes = fewest
			}
			return true
		}
	}
	return false
}

// askedRecipes is how many recipes are to be tried in any case, 0 where the plan decides.
func (s Settings) askedRecipes() int {
	if s.Planned.Tune || s.Tune == nil {
		return 0
	}
	return s.Tune.Trials
}

// enough is how many structures are, of so many that would be, where fewer are asked for.
func (s Settings) enough(structures int) int {
	if s.Planned.Structures {
		return structures
	}
	return min(structures, s.Budget)
}

// rungsOf is on how many rungs structures are compared that are trained for so many epochs.
func (s Settings) rungsOf(epochs int) int {
	if s.Planned.Structures {
		return MostRungs(epochs)
	}
	return s.Rungs
}

// leastEpochs are those that the rungs that are asked for need.
func (s Settings) leastEpochs() int {
	return int(math.Pow(halving, float64(s.rungsOf(1))))
}

// compared plans for comparing alone: of many structures at some size, else of a few, and in the
// end of what fits into single epochs.
func (p *Plan) compared(s Settings, search float64) {
	for _, fewest := range []int{fewestStructures, fewestStructures / 3} {
		for _, size := range s.sizes() {
			p.Dim, p.Epochs, p.Rungs = size.dim, size.epochs, s.rungsOf(size.epochs)
			if p.Structures = p.affords(search, p.Paces.training(p.Dim, p.Epochs, 0)); p.Structures >= s.enough(fewest) {
				return
			}
		}
	}
	if s.Planned.Epochs {
		p.Epochs, p.Rungs = s.leastEpochs(), s.rungsOf(1)
	}
	p.Structures = p.affords(search, p.Paces.training(p.Dim, p.Epochs, 0))
}

// named is how many named models there are, which are trained first.
const named = 5

// affords is how many structures there is time for.
func (p Plan) affords(left, whole float64) int {
	return max(0, min(mostStructures, int((left-named*whole)/(whole*rungCost(p.Rungs)))))
}

// revised is the plan for the rest of the time, with so many structures proposed, where a training
// takes so many times as long as was planned with.
func (p Plan) revised(s Settings, times float64, used time.Duration, proposed int) Plan {
	paces := p.Paces.times(times)
	left := p.Limit.Seconds()*plannedShare - used.Seconds()
	search := left * searchShare / (1 - tuneShare)
	if p.Recipes == 0 {
		search = left * (tuneShare + searchShare)
	}
	p.Used = used
	if s.Planned.Structures {
		p.Structures = proposed + max(1, p.affords(search, paces.training(p.Dim, p.Epochs, p.MaxSteps)))
	}
	p.SearchUntil = used + seconds(search/plannedShare)
	if proposed > 0 && p.Seeds > 0 { // it goes on with that as long as there is time
		p.Seconds = max(0, left)
		return p
	}
	p.again(s, paces, left-search)
	p.Seconds = max(0, p.Seconds+search)
	return p
}

// extended is a plan for more time after what was done by another: what structures are compared
// by stays, and so does what is trained again, if anything is.
func (p Plan) extended(s Settings, by Plan, proposed int) Plan {
	by.Dim, by.Epochs, by.MaxSteps, by.Rungs, by.Recipes = p.Dim, p.Epochs, p.MaxSteps, p.Rungs, p.Recipes
	if len(by.Paces.At) == 0 {
		return by
	}
	if p.Seeds > 0 {
		by.LastPlan = p.LastPlan
	}
	return by.revised(s, 1, by.Used, proposed)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// size is a way to train what is compared.
type size struct{ dim, epochs int }

// sizes go from the best to the cheapest.
func (s Settings) sizes() (all []size) {
	dims, epochs := []int{s.Training.Dim}, []int{s.Training.Epochs}
	if s.Planned.Dim {
		dims = nil
		for dim := s.Training.Dim; dim >= min(64, s.Training.Dim); dim /= 2 {
			dims = append(dims, dim/s.K*s.K)
		}
	}
	if s.Planned.Epochs {
		for _, part := range []int{2, 3, 6} {
			epochs = append(epochs, max(1, s.Training.Epochs/part))
		}
	}
	for _, e := range epochs {
		for _, d := range dims {
			if e >= s.leastEpochs() {
				all = append(all, size{d, e})
			}
		}
	}
	return all
}

// MostRungs is how many rungs so many epochs are worth, two at most.
func MostRungs(epochs int) int {
	switch {
	case epochs >= 18:
		return 2
	case epochs >= 6:
		return 1
	}
	return 0
}

// rungCost is what a structure takes of a whole training, those that climb counted.
func rungCost(rungs int) float64 { return float64(rungs+1) / math.Pow(halving, float64(rungs)) }

// again plans the last stage: many models rather than large ones, and few whole ones rather
// than many that are cut short.
func (p *Plan) again(s Settings, pace Paces, left float64) {
	p.LastPlan, p.Seconds = LastPlan{AgainEpochs: s.Training.Epochs}, 0
	switch {
	case s.Again == 0:
	case !s.Planned.Again:
		p.askedAgain(s)
		p.Seconds = min(left, float64((p.Found+p.Named)*(p.Seeds+p.Splits))*pace.training(p.largest(), p.AgainEpochs, p.AgainSteps))
	case p.MaxSteps > 0: // there is no time for many: one of each, for as many steps as fit
		at := pace.of(p.Dim)
		steps := max(p.MaxSteps, int((left/2-at.End)/at.Step))
		p.LastPlan = LastPlan{Found: 1, Named: 1, Seeds: 1, Dims: []int{p.Dim}, AgainEpochs: max(1, steps/pace.Steps)}
		if steps < pace.Steps {
			p.AgainSteps = steps
		}
		p.Seconds = left
	default:
		for _, last := range p.lasts(s) {
			if cost := last.cost(pace); cost <= left {
				p.LastPlan, p.Seconds = last, cost
				return
			}
		}
	}
}

// lasts are ways to train again, the best first.
func (p *Plan) lasts(s Settings) (all []LastPlan) {
	for _, epochs := range []int{s.Training.Epochs, (s.Training.Epochs + p.Epochs) / 2, p.Epochs} {
		for _, last := range []LastPlan{{Found: 3, Named: 2, Seeds: 3, Splits: 3}, {Found: 3, Named: 2, Seeds: 3}, {Found: 2, Named: 1, Seeds: 3}, {Found: 1, Named: 1, Seeds: 2}, {Found: 1, Named: 1, Seeds: 1}} {
			if last.Splits > 0 && !p.Few {
				continue
			}
			dims := s.lastDims(p.Dim)
			for i := range dims {
				last.AgainEpochs, last.Dims = epochs, dims[i:i+1]
				if last.models() > 4 { // the smaller ones are tried, too
					last.Dims = slices.Clone(dims[i:min(i+3, len(dims))])
					slices.Reverse(last.Dims)
				}
				all = append(all, last)
			}
		}
	}
	return all
}

// lastDims are the dimensions that may be trained again, the largest first.
func (s Settings) lastDims(least int) (dims []int) {
	if !s.Planned.Dim {
		return []int{least}
	}
	for dim := mostDim; dim >= least; dim /= 2 {
		dims = append(dims, dim/s.K*s.K)
	}
	return dims
}

// models is how many are trained, but for those that the dimensions are tried with.
func (l LastPlan) models() int { return (l.Found + l.Named) * (l.Seeds + l.Splits) }

// cost is the seconds that it takes.
func (l LastPlan) cost(pace Paces) float64 {
	cost := float64(l.models()) * pace.training(slices.Max(l.Dims), l.AgainEpochs, 0)
	if len(l.Dims) > 1 {
		for _, d := range l.Dims {
			cost += tunedModels * pace.training(d, l.AgainEpochs, 0)
		}
	}
	return cost
}
