package budget

import (
	"cmp"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Shares of the time limit. The rest is a reserve for selecting, ranking and saving, and for
// delays.
const (
	plannedShare = 0.85
	tuneShare    = 0.3
	searchShare  = 0.25
	// eachShare is for tuning each of the best models, if the settings request it.
	eachShare = 0.2
	// recipeFactor is the mean duration of the recipes of a space, relative to the initial one.
	recipeFactor = 1.5
)

// Minimum sizes at which a stage is worth its time.
const (
	minRecipes    = 12
	minStructures = 24
	minEach       = 12
)

// Maximum useful sizes.
const (
	maxRecipes    = 120
	maxStructures = 512
	maxEach       = 48
	// MaxDim is the largest dimension that a plan chooses.
	MaxDim = 2048
	// minDim is the smallest dimension of compared structures, unless a smaller one is given.
	minDim = 64
)

const (
	// Sizes of the tuning stage over a space.
	TunedModels      = 2
	ConfirmedRecipes = 3
	ConfirmingSeeds  = 2
)

// A ranking of more than maxScores scores is limited to a sample of at least minRanked examples.
const (
	maxScores = 5e8
	minRanked = 300
)

// Sample returns the number of validation examples to rank per trial, 0 for all.
func Sample(size task.Size) int {
	limit := max(minRanked, int(maxScores/float64(max(1, size.Entities))))
	if size.Validation <= limit {
		return 0
	}
	return limit
}

// New returns a plan for the time that is left after used. fewValidation is true if retraining
// should use further splits.
func New(s search.Settings, fewValidation bool, p search.Paces, used time.Duration) search.Plan {
	left := s.TimeLimit.Seconds()*plannedShare - used.Seconds()
	plan := planner{
		Plan:     search.Plan{Limit: s.TimeLimit, Used: used, Paces: p, FewValidation: fewValidation},
		settings: s,
	}
	if plan.isTooShort(left) {
		return plan.withoutSearch()
	}
	if len(p.At) == 0 {
		return plan.withoutPaces(left)
	}
	free := plan.free(left)
	each := plan.requestedEach(free)
	free -= each
	tune := free * tuneShare
	compare := plan.comparing(free - tune)
	if plan.withTuning(tune, compare) {
		surplus := plan.unusedTuning(tune)
		tune, each = tune-surplus, each+surplus
	} else {
		if plan.Recipes = requestedRecipes(s); plan.Recipes == 0 {
			tune, compare = 0, tune+compare
		}
		if p.Default.Dim > 0 {
			compare = max(compare, min(free-tune, plan.leastComparing()))
		}
		plan.withoutTuning(compare)
	}
	if plan.Structures < 1 && s.Planned.Epochs { // not even one epoch of the smallest size fits
		baselines := max(1, s.CountBaselines())
		plan.Structures, plan.Epochs = 2*baselines, leastEpochs(s)
		a, whole := p.Of(plan.Dim), compare/float64(3*baselines*plan.Epochs)
		plan.MaxSteps = max(1, min(p.Steps, int((whole-a.End)/a.Step)))
	}
	plan.Structures = max(1, plan.Structures)
	if !s.Planned.Structures {
		plan.Structures = s.Budget
	}
	plan.retrain(p, left-tune-compare-each)
	plan.Seconds = max(0, plan.Seconds+tune+compare+each)
	plan.TuneUntil = used + seconds(tune/plannedShare)
	plan.SearchUntil = used + seconds((tune+compare)/plannedShare)
	plan.EachUntil = used + seconds((tune+compare+each)/plannedShare)
	return plan.Plan
}

// Revise returns the plan for the rest of the time, once the recipe is chosen or some structures
// are proposed. factor is the duration of a training relative to the plan.
func Revise(
	p search.Plan, s search.Settings, factor float64, used time.Duration, proposed int,
) search.Plan {
	plan := planner{Plan: p, settings: s}
	paces := p.Paces.Times(factor)
	each := (p.EachUntil - p.SearchUntil).Seconds() * plannedShare
	left := p.Limit.Seconds()*plannedShare - used.Seconds() - each
	free := plan.free(left)
	compare := plan.comparing(free)
	if p.Recipes == 0 {
		compare = free*tuneShare + plan.comparing(free*(1-tuneShare))
	}
	plan.Used = used
	if s.Planned.Structures {
		whole := paces.Training(p.Dim, p.Epochs, p.MaxSteps)
		plan.Structures = proposed + max(1, plan.affordable(compare, whole))
	}
	plan.SearchUntil = used + seconds(compare/plannedShare)
	plan.EachUntil = plan.SearchUntil + p.EachUntil - p.SearchUntil
	if proposed > 0 && p.Seeds > 0 { // retraining continues until the end of the time
		plan.Seconds = max(0, left+each)
		return plan.Plan
	}
	plan.retrain(paces, left-compare)
	plan.Seconds = max(0, plan.Seconds+compare+each)
	return plan.Plan
}

// Extend returns a plan for a longer time limit, given a new plan for it. The compared and
// retrained structures keep the settings of the old plan.
func Extend(old, plan search.Plan, s search.Settings, proposed int) search.Plan {
	plan.Dim, plan.Epochs, plan.MaxSteps = old.Dim, old.Epochs, old.MaxSteps
	plan.Halving, plan.Recipes = old.Halving, old.Recipes
	if plan.Each = old.Each; old.Each == 0 {
		plan.EachUntil = plan.SearchUntil
	}
	if len(plan.Paces.At) == 0 {
		return plan
	}
	if old.Seeds > 0 {
		plan.RetrainPlan = old.RetrainPlan
	}
	return Revise(plan, s, 1, plan.Used, proposed)
}

// isTooShort returns true if a search that has a default model cannot do better in the time left:
// there is no time to compare the fewest structures for the fewest epochs and then to retrain the
// best at half the size of the default model. Without paces it only asks for the latter.
func (p planner) isTooShort(left float64) bool {
	s, d := p.settings, p.Paces.Default
	if d.Dim == 0 || !s.Planned.Structures || !s.Planned.Epochs || !s.Planned.Retrain {
		return false
	}
	least := d.End / 2
	if len(p.Paces.At) > 0 {
		least += p.leastComparing()
	}
	return least > left
}

// leastComparing returns the seconds in which the fewest structures train for the fewest epochs.
func (p planner) leastComparing() float64 {
	dim := p.settings.Training.Dim
	if p.settings.Planned.Dim {
		dim = min(dim, minDim/p.settings.K*p.settings.K)
	}
	const margin = 1.05
	structures := margin * float64(p.settings.CountBaselines()+search.MinStructures)
	return structures * p.Paces.Training(dim, search.MinEpochs, 0)
}

// comparing returns the seconds for comparing structures of those after tuning: all of them if no
// stage follows.
func (p planner) comparing(rest float64) float64 {
	if p.settings.RetrainSeeds == 0 && p.settings.Final == nil {
		return rest
	}
	return rest * searchShare / (1 - tuneShare)
}

// free returns the seconds that are divided among the stages: without those for retraining a
// structure and a baseline at the size of the default model, as far as there is time.
func (p planner) free(left float64) float64 {
	if p.settings.RetrainSeeds == 0 {
		return left
	}
	reserved := max(0, min(2*p.Paces.Default.End, left-p.leastComparing()))
	return left - reserved
}

// withoutSearch plans trainings of baselines like the default model.
func (p planner) withoutSearch() search.Plan {
	p.NoSearch, p.Tuned, p.Searched = true, true, true
	p.Dim, p.Epochs = p.Paces.Default.Dim, p.settings.Training.Epochs
	p.Seconds = max(0, (p.Limit - p.Used).Seconds())
	p.TuneUntil, p.SearchUntil, p.EachUntil = p.Used, p.Used, p.Used
	return p.Plan
}

// planner builds a plan from the settings.
type planner struct {
	search.Plan
	settings search.Settings
}

// withoutPaces plans a search whose settings are all given. It only divides the time.
func (p planner) withoutPaces(left float64) search.Plan {
	s := p.settings
	p.Dim, p.Epochs, p.MaxSteps = s.Training.Dim, s.Training.Epochs, s.Training.MaxSteps
	p.Structures, p.Halving, p.Recipes = s.Budget, s.Halving, requestedRecipes(s)
	each := p.requestedEach(left)
	left -= each
	p.Seconds = max(0, left)
	p.TuneUntil = p.Used + seconds(left*tuneShare/plannedShare)
	p.SearchUntil = p.Limit - seconds(each/plannedShare)
	if s.RetrainSeeds > 0 {
		p.requestedRetraining()
		p.SearchUntil = p.Used + seconds(left*(tuneShare+searchShare)/plannedShare)
	}
	p.EachUntil = min(p.Limit, p.SearchUntil+seconds(each/plannedShare))
	return p.Plan
}

// withTuning chooses the largest size at which tuning and comparing both fit into their time. It
// returns false if there is none.
func (p *planner) withTuning(tune, compare float64) bool {
	s := p.settings
	if s.Tune == nil {
		return false
	}
	requested := requestedRecipes(s)
	needed := cmp.Or(requested, minRecipes)
	for _, size := range sizes(s) {
		p.Dim, p.Epochs, p.Halving = size.dim, size.epochs, rungs(s, size.epochs)
		whole := p.Paces.Training(p.Dim, p.Epochs, 0)
		p.Recipes = min(max(maxRecipes, needed), int((tune-p.tuningSeconds(0, whole))/recipeSeconds(whole)))
		p.Structures = p.affordable(compare, whole)
		if p.Recipes >= needed && p.Structures >= enoughStructures(s, minStructures) {
			if requested > 0 {
				p.Recipes = needed
			}
			return true
		}
	}
	return false
}

// recipeSeconds returns the seconds that a recipe takes on the tuned models. whole is the number of
// seconds of a full training.
func recipeSeconds(whole float64) float64 {
	return recipeFactor * TunedModels * whole * 2 / search.Reduction
}

// tuningSeconds returns the seconds of a tuning stage of some recipes.
func (p planner) tuningSeconds(recipes int, whole float64) float64 {
	const confirm = TunedModels * ConfirmedRecipes * ConfirmingSeeds
	initial := len(p.settings.NamedBaselines())
	return float64(initial+confirm)*whole + float64(recipes)*recipeSeconds(whole)
}

// unusedTuning plans to tune each of the best models in the time that tuning leaves over, because
// it tries the most recipes that are useful. It returns that time.
func (p *planner) unusedTuning(tune float64) float64 {
	s := p.settings
	if !s.Planned.TuneEach || !s.Planned.Tune || p.Recipes < maxRecipes {
		return 0
	}
	found, _ := s.RetrainCounts()
	whole := p.Paces.Training(p.Dim, p.Epochs, 0)
	perRecipe := float64(found+s.CountBaselines()) * recipeSeconds(whole) / TunedModels
	p.Each = min(maxEach, int((tune-p.tuningSeconds(p.Recipes, whole))/perRecipe))
	if p.Each < minEach {
		p.Each = 0
	}
	return float64(p.Each) * perRecipe
}

// requestedEach returns the seconds for tuning each of the best models of those that are left, if
// the settings request it.
func (p *planner) requestedEach(left float64) float64 {
	s := p.settings
	if s.TuneEach == nil || s.Planned.TuneEach {
		return 0
	}
	p.Each = s.TuneEach.Trials
	return eachShare * max(0, left)
}

// withoutTuning chooses a size for comparing without tuning. It prefers a size at which many
// structures fit, then one for a third of them, and at last the fewest epochs.
func (p *planner) withoutTuning(compare float64) {
	s := p.settings
	for _, needed := range []int{minStructures, search.MinStructures} {
		for _, size := range sizes(s) {
			p.Dim, p.Epochs, p.Halving = size.dim, size.epochs, rungs(s, size.epochs)
			p.Structures = p.affordable(compare, p.Paces.Training(p.Dim, p.Epochs, 0))
			if p.Structures >= enoughStructures(s, needed) {
				return
			}
		}
	}
	if s.Planned.Epochs {
		p.Epochs, p.Halving = leastEpochs(s), rungs(s, 1)
		if p.Paces.Default.Dim > 0 && p.Halving == 0 {
			p.Epochs = search.MinEpochs
		}
	}
	p.Structures = p.affordable(compare, p.Paces.Training(p.Dim, p.Epochs, 0))
}

// affordable returns the number of structures that can be compared in left seconds. whole is the
// number of seconds of a full training.
func (p planner) affordable(left, whole float64) int {
	baselines := float64(p.settings.CountBaselines()) * whole
	n := int((left - baselines) / (whole * search.RungCost(p.Halving)))
	return max(0, min(maxStructures, n))
}

// requestedRecipes returns the number of recipes that the settings request, 0 if the plan decides.
func requestedRecipes(s search.Settings) int {
	if s.Planned.Tune || s.Tune == nil {
		return 0
	}
	return s.Tune.Trials
}

// enoughStructures returns the number of structures at which a size is large enough.
func enoughStructures(s search.Settings, structures int) int {
	if s.Planned.Structures {
		return structures
	}
	return min(structures, s.Budget)
}

// rungs returns the number of rungs for structures that train for some epochs.
func rungs(s search.Settings, epochs int) int {
	if s.Planned.Structures && !s.Planned.FixedHalving {
		return search.DefaultHalving(epochs)
	}
	return s.Halving
}

// leastEpochs returns the number of epochs that the requested rungs need.
func leastEpochs(s search.Settings) int { return search.LeastEpochs(rungs(s, 1)) }

// size is the size of the training of compared structures.
type size struct{ dim, epochs int }

// sizes returns the possible sizes, from the best to the cheapest.
func sizes(s search.Settings) (all []size) {
	dims, epochs := []int{s.Training.Dim}, []int{s.Training.Epochs}
	if s.Planned.Dim {
		dims = nil
		for dim := s.Training.Dim; dim >= min(minDim, s.Training.Dim); dim /= 2 {
			dims = append(dims, dim/s.K*s.K)
		}
	}
	if s.Planned.Epochs {
		for _, part := range []int{2, 3, 6, 12} {
			epochs = append(epochs, max(1, s.Training.Epochs/part))
		}
	}
	for _, e := range epochs {
		for _, d := range dims {
			if e >= leastEpochs(s) {
				all = append(all, size{d, e})
			}
		}
	}
	return all
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// retrain plans the retraining stage. It prefers many models to large ones, and few complete
// trainings to many short ones.
func (p *planner) retrain(paces search.Paces, left float64) {
	s := p.settings
	p.RetrainPlan, p.Seconds = search.RetrainPlan{RetrainEpochs: s.Training.Epochs}, 0
	switch {
	case s.RetrainSeeds == 0:
	case !s.Planned.Retrain:
		p.requestedRetraining()
		models := float64((p.Found + p.Baselines) * (p.Seeds + p.Splits))
		p.Seconds = min(left, models*paces.Training(p.LargestDim(), p.RetrainEpochs, p.RetrainSteps))
	case p.MaxSteps > 0: // there is little time: one model of each kind, for the steps that fit
		at := paces.Of(p.Dim)
		steps := max(p.MaxSteps, int((left/2-at.End)/at.Step))
		p.RetrainPlan = search.RetrainPlan{
			Found: 1, Baselines: 1, Seeds: 1, Dims: []int{p.Dim},
			RetrainEpochs: max(1, steps/paces.Steps),
		}
		if steps < paces.Steps {
			p.RetrainSteps = steps
		}
		p.RetrainPlan, p.Seconds = p.withFixed(p.RetrainPlan), left
	default:
		choices := p.retrainChoices()
		for _, choice := range choices {
			if cost := p.retrainCost(choice, paces); cost <= left {
				p.RetrainPlan, p.Seconds = choice, cost
				return
			}
		}
		if s.Planned.FixedSeeds || s.Planned.FixedSplits && s.RetrainSplits > 0 { // as many as fit
			p.RetrainPlan, p.Seconds = choices[len(choices)-1], left
		}
	}
}

// withFixed returns a retraining stage with the numbers that are given.
func (p *planner) withFixed(r search.RetrainPlan) search.RetrainPlan {
	if p.settings.Planned.FixedSeeds {
		r.Seeds = p.settings.RetrainSeeds
	}
	if p.settings.Planned.FixedSplits {
		r.Splits = p.settings.RetrainSplits
	}
	return r
}

// requestedRetraining plans the retraining stage as the settings request it.
func (p *planner) requestedRetraining() {
	s := p.settings
	p.RetrainPlan = search.RetrainPlan{
		Seeds: s.RetrainSeeds, Splits: s.RetrainSplits, Dims: s.RetrainDims,
		RetrainEpochs: cmp.Or(s.RetrainEpochs, p.Epochs), RetrainSteps: s.RetrainSteps,
	}
	p.Found, p.Baselines = s.RetrainCounts()
}

// retrainChoices returns possible retraining stages, the best first.
func (p *planner) retrainChoices() (all []search.RetrainPlan) {
	s := p.settings
	counts := []search.RetrainPlan{
		{Found: 3, Baselines: 2, Seeds: 3, Splits: 3},
		{Found: 3, Baselines: 2, Seeds: 3},
		{Found: 2, Baselines: 1, Seeds: 3},
		{Found: 1, Baselines: 1, Seeds: 2},
		{Found: 1, Baselines: 1, Seeds: 1},
	}
	if p.Paces.Default.Dim > 0 { // which is a baseline
		counts = append(counts, search.RetrainPlan{Found: 1, Seeds: 1})
	}
	for _, epochs := range []int{s.Training.Epochs, (s.Training.Epochs + p.Epochs) / 2, p.Epochs} {
		for _, dims := range p.retrainSizes() {
			for _, choice := range counts {
				if choice.Splits > 0 && !p.FewValidation {
					continue
				}
				choice = p.withFixed(choice)
				for i := range dims {
					choice.RetrainEpochs, choice.Dims = epochs, dims[i:i+1]
					if retrainModels(choice) > 4 { // worth trying the smaller dimensions too
						choice.Dims = slices.Clone(dims[i:min(i+3, len(dims))])
						slices.Reverse(choice.Dims)
					}
					all = append(all, choice)
				}
			}
		}
	}
	return all
}

// retrainSizes returns groups of dimensions, the preferred group first: those from that of the
// default model on, half of it, and the smaller ones. Without a default model, all are one group.
func (p *planner) retrainSizes() [][]int {
	dims, full := p.retrainDims(), p.Paces.Default.Dim
	at := func(least int) int {
		i := slices.IndexFunc(dims, func(dim int) bool { return dim < least })
		if i < 0 {
			return len(dims)
		}
		return i
	}
	large, half := at(full), at(full/2)
	return [][]int{dims[:large], dims[large:half], dims[half:]}
}

// retrainDims returns the possible dimensions of retraining, the largest first.
func (p *planner) retrainDims() (dims []int) {
	s := p.settings
	if !s.Planned.Dim {
		return []int{p.Dim}
	}
	for dim := MaxDim; dim >= p.Dim; dim /= 2 {
		dims = append(dims, dim/s.K*s.K)
	}
	return dims
}

// retrainModels returns the number of retrained models, without those that try dimensions.
func retrainModels(p search.RetrainPlan) int {
	return (p.Found + p.Baselines) * (p.Seeds + p.Splits)
}

// retrainCost returns the expected seconds of a retraining stage. With a tuned recipe and a size other
// than that of tuning, it also trains the best structure with the recipe of the default model.
func (p *planner) retrainCost(r search.RetrainPlan, paces search.Paces) float64 {
	training := func(dim int) float64 {
		seconds := paces.Training(dim, r.RetrainEpochs, 0)
		if d := paces.Default; d.Dim > 0 && dim >= d.Dim { // measured, with its early stop
			share := float64(r.RetrainEpochs) / float64(p.settings.Training.Epochs)
			seconds = min(seconds, d.End*share*float64(dim)/float64(d.Dim))
		}
		return seconds
	}
	cost := float64(retrainModels(r)) * training(slices.Max(r.Dims))
	if len(r.Dims) > 1 {
		for _, d := range r.Dims {
			cost += TunedModels * training(d)
		}
	}
	if p.Recipes > 0 && (slices.Max(r.Dims) != p.Dim || r.RetrainEpochs != p.Epochs) {
		cost += float64(r.Seeds+r.Splits) * p.Paces.Default.End // 0 without a default model
	}
	return cost
}
