package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
)

// Structures trains the baselines and then the structures that the strategy proposes, round by
// round, with successive halving.
type Structures struct{ search.StageBase }

// Next implements [search.Stage].
func (Structures) Next(ctx context.Context, s *search.State) (search.Step, error) {
	if s.Plan != nil && s.Plan.Searched {
		return search.Step{Done: true, Stopped: s.Plan.Stopped, Note: s.Plan.Note}, nil
	}
	if s.Settings.HasBaselines() && len(s.InStage(task.Searching)) == 0 {
		recipe := Recipe(s)
		all := baselines(s.Settings, recipe)
		if s.Task.Supports().Forms {
			all = append(all, s.Settings.BlockBaselines(recipe)...)
		}
		step := propose(s, task.Searching, all)
		reuseDefault(s, step.Change.Trials)
		return step, nil
	}
	for _, stage := range []task.Stage{task.HalvingRung, task.Searching} {
		if p := budgeted(s, stage); len(p) > 0 {
			return trainStructures(s, p), nil
		}
	}
	if promoted := halvingOf(s).promote(s.Trials); len(promoted) > 0 {
		return search.Step{Change: &search.Change{Trials: groupByTraining(promoted)}}, nil
	}
	left := s.Settings.Budget - len(search.Proposed(s.Trials))
	if left <= 0 {
		return end(s, search.BudgetSpent, ""), nil
	}
	if s.TimeIsUp() || s.Plan != nil && s.Used() >= s.Plan.SearchUntil {
		return end(s, search.TimeLimitReached, ""), nil
	}
	if n := roundsOfRepeats(s.Rounds); n >= maxRoundsOfRepeats {
		note := fmt.Sprintf("%d rounds in a row proposed nothing new", n)
		return end(s, search.SpaceExhausted, note), nil
	}
	change, reason, err := proposeRound(ctx, s, left)
	switch {
	case err != nil:
		return done, err
	case reason != "":
		return end(s, search.SpaceExhausted, reason), nil
	}
	return search.Step{Change: &change}, nil
}

// halvingOf returns the successive halving of the structures.
func halvingOf(s *search.State) halving { return halving{s.Settings.Halving, Recipe(s)} }

// end ends the stage, and first stores its end in the plan.
func end(s *search.State, stopped search.Stop, note string) search.Step {
	if s.Plan == nil {
		return search.Step{Done: true, Stopped: stopped, Note: note}
	}
	plan := updated(s)
	plan.Searched, plan.Stopped, plan.Note = true, stopped, note
	return search.Step{Change: &search.Change{Plan: plan}}
}

// baselines returns trials of the baselines that have a structure.
func baselines(s search.Settings, recipe task.Recipe) (trials []task.Trial) {
	for _, b := range s.NamedBaselines() {
		trials = append(trials, task.Trial{Name: b.Name, Structure: b.Structure, Recipe: recipe})
	}
	return trials
}

// reuseDefault gives the result of the default model to the trial that would repeat its training, as
// in a task that always trains with the same settings.
func reuseDefault(s *search.State, trials []task.Trial) {
	for _, model := range s.InStage(task.Default) {
		if model.State == task.Running || model.StoppedEarly {
			continue
		}
		for i, t := range trials {
			if isSameModel(t, model) && t.Recipe == model.Recipe {
				trials[i] = model
				trials[i].Number, trials[i].Stage = t.Number, t.Stage
				trials[i].Seconds, trials[i].Kept = 0, false
			}
		}
	}
}

// budgeted returns the next population of a stage within the budget, which may be lower than when
// the trials were proposed.
func budgeted(s *search.State, stage task.Stage) []task.Trial {
	p := s.Population(stage, s.MaxPopulation(), nil)
	left := max(0, s.Settings.Budget-task.Finished(search.Proposed(s.Trials)))
	if len(p) > left && halvingOf(s).isFirst(p[0]) {
		return p[:left]
	}
	return p
}

// trainStructures returns the training step of a population. With a plan, the first population
// stops early at the time limit. Without one, the time limit applies once there is a result or a
// default model.
func trainStructures(s *search.State, population []task.Trial) search.Step {
	step := search.Step{Train: population}
	hasResult := len(task.BestFirst(s.InStage(task.Searching))) > 0
	step.StopEarly = s.Plan != nil && !hasResult && population[0].Stage == task.Searching
	if s.Plan != nil || hasResult || len(s.InStage(task.Default)) > 0 {
		step.Deadline = s.TimeLimit()
	}
	return step
}

// maxRoundsOfRepeats is the number of consecutive rounds without a new structure after which the
// space is exhausted. They only happen without a filter.
const maxRoundsOfRepeats = 100

// roundsOfRepeats counts the last rounds that proposed only repeats.
func roundsOfRepeats(rounds []search.Round) int {
	n := 0
	for _, r := range slices.Backward(rounds) {
		if r.Repeats < r.Proposed {
			break
		}
		n++
	}
	return n
}

// proposeRound asks the strategy for the next round. It returns the reason if there is none.
func proposeRound(
	ctx context.Context, s *search.State, left int,
) (change search.Change, reason string, err error) {
	began := time.Now()
	if s.Strategy == nil {
		return change, "", errors.New("the search has no strategy: set Strategy, such as " +
			"strategy.Evolutionary{}")
	}
	if err := s.CheckEngine(); err != nil {
		return change, "", err
	}
	round := search.Round{Number: len(s.Rounds) + 1}
	source := rand.NewPCG(s.Settings.Seed, uint64(round.Number))
	if round.RandomState, err = source.MarshalBinary(); err != nil {
		return change, "", err
	}
	proposal, err := ctxutil.Call(ctx, func() (strategy.Proposal, error) {
		return proposeStructures(s, left, rand.New(source))
	})
	round.Seconds = time.Since(began).Seconds()
	if err != nil && errors.Is(err, ctx.Err()) {
		return change, "", err
	}
	if err != nil {
		return change, "", fmt.Errorf("round %d of %s: %w", round.Number, s.Strategy.Name(), err)
	}
	if len(proposal.Structures) == 0 {
		return change, cmp.Or(proposal.Reason, "the strategy has no more structures"), nil
	}
	round.Proposed = len(proposal.Structures)
	change.Trials = newTrials(s, proposal, &round)
	change.Round = &round
	return change, "", nil
}

// proposeStructures returns the first proposal with structures, in the order of the numbers of
// chunks. If baselines are all that a first round could draw, the strategy derives from them at once.
func proposeStructures(
	s *search.State, left int, rng *rand.Rand,
) (proposal strategy.Proposal, err error) {
	for _, k := range chunkOrder(s) {
		options, number, past := s.Settings.OptionsFor(k), nextRound(s, k), withChunks(history(s), k)
		options.Block = Recipe(s).N3Block
		proposal, err = s.Strategy.Propose(options, number, past, left, rng)
		if err == nil && len(proposal.Structures) == 0 && number == 1 && len(past) > 0 {
			proposal, err = s.Strategy.Propose(options, 2, past, left, rng)
		}
		if err == nil {
			err = proposal.Check(options, left)
		}
		if err != nil || len(proposal.Structures) > 0 {
			break
		}
	}
	return proposal, err
}

// history returns the trials that a strategy sees: the baselines in a warm start, and the
// structures of the rounds with extrapolated scores.
func history(s *search.State) []task.Trial {
	var all []task.Trial
	if s.Settings.WarmStart {
		all = searchedBaselines(s)
	}
	all = append(all, search.Proposed(s.Trials)...)
	return halvingOf(s).extrapolate(all, s.Trials)
}

// searchedBaselines returns the trials of the baselines with a result that no round proposed.
func searchedBaselines(s *search.State) (all []task.Trial) {
	for _, t := range s.InStage(task.Searching) {
		if t.Name != "" && t.Round == 0 && t.State != task.Running {
			all = append(all, t)
		}
	}
	return all
}

// newTrials returns the trials of a proposal. A structure that already has a trial is not trained
// again: it counts as a repeat, or, if it is a baseline that was not proposed before, its trial
// joins the round.
func newTrials(s *search.State, proposal strategy.Proposal, round *search.Round) []task.Trial {
	before := map[task.Model]task.Trial{}
	for _, t := range slices.Concat(s.InStage(task.HalvingRung), s.InStage(task.Searching)) {
		before[t.Model()] = t
	}
	h := halvingOf(s)
	next := len(s.Trials) + 1
	var trials []task.Trial
	for i, a := range proposal.Structures {
		proposed := task.Trial{
			Number: next, Stage: h.stage(0), Structure: a, Recipe: h.recipe(0), State: task.Running,
		}
		if len(proposal.Messages) > 0 {
			proposed = proposed.WithMessage(proposal.Messages[i])
		}
		t, known := before[proposed.Model()]
		switch {
		case !known:
			t = proposed
			next++
		case t.Round != 0:
			round.Repeats++
			continue
		}
		t.Round = round.Number
		if len(proposal.Predictions) > 0 {
			t.Prediction = &proposal.Predictions[i]
		}
		before[t.Model()] = t
		trials = append(trials, t)
	}
	return trials
}

// Progress counts the structures of the budget.
func (Structures) Progress(s *search.State, training []task.Trial, p *search.Progress) {
	structureProgress(s, training, p)
}

func structureProgress(s *search.State, training []task.Trial, p *search.Progress) {
	p.Baselines = training[0].Round == 0 && p.Stage == task.Searching
	p.Stage = task.Searching // which includes the rungs
	p.Trained, p.Budget = task.Finished(search.Proposed(s.Trials)), s.Settings.Budget
	compared := slices.DeleteFunc(s.InStage(task.Searching), func(t task.Trial) bool {
		return t.Round == 0
	})
	p.Best = nil
	if best := task.BestFirst(compared); len(best) > 0 {
		p.Best = &best[0]
	}
}
