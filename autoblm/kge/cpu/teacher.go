package cpu

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// checkTeacher returns an error if the engine cannot learn from a teacher with the settings.
func checkTeacher(d *kge.Data, s kge.Settings) error {
	switch {
	case !d.BothDirections:
		return errors.New("only triples have a teacher: leave teacher-weight at 0")
	case d.Teacher == nil:
		return fmt.Errorf("teacher-weight is %v, but %s has no teacher: leave it at 0",
			s.TeacherWeight, d.Name)
	case s.Candidates(len(d.Entities)) < len(d.Entities):
		return fmt.Errorf("sampled-softmax draws %d entities per step, which lack most answers of a "+
			"teacher: leave it at 0", s.SampledSoftmax)
	}
	return nil
}

// askTeacher adds a second query to each question, which learns the teacher's answer: the first one
// divided by the temperature, which divides its scores. weight is that of an example.
func (t *trainer) askTeacher(u *unit, a *activeUnit, weight float32) {
	softmax, questions := a.overEntities, t.questions(u, a)
	temperature := t.settings.Temperature
	softmax.Distributions = softmax.Distributions[:0]
	for i := range questions {
		to := softmax.QueryRows(softmax.Rows, questions+i)
		t.kernels.Scale(to, softmax.QueryRows(softmax.Rows, i), float32(1/temperature))
		softmax.Distributions = append(softmax.Distributions, tiles.Distribution{Query: questions + i})
	}
	weight *= float32(t.settings.TeacherWeight * temperature * temperature)
	teacher := t.objective.(tripleObjective).teacher
	add := func(question int, anchor, relation int32, of float32) {
		d := &softmax.Distributions[question]
		d.Weight += weight * of
		if d.Rows == nil { // once for examples that share the question
			answers := teacher(anchor, relation)
			d.Rows, d.Shares = answers.Entities, answers.Shares
		}
	}
	for i := range a.count {
		x := &u.examples[i]
		add(int(u.questions[i]), x.Anchor, x.Path[0], x.Weight)
		if !t.layout.isGrouped && !t.reciprocal {
			add(a.count+i, x.Target, x.Path[0]^1, x.BackWeight)
		}
	}
}

// propagateTeacher adds the gradients of the queries for the teacher to those of the questions.
func (t *trainer) propagateTeacher(a *activeUnit) {
	softmax := a.overEntities
	questions := softmax.Count / 2
	for i := range questions {
		from := softmax.QueryRows(softmax.ByQuery, questions+i)
		to := softmax.QueryRows(softmax.ByQuery, i)
		t.kernels.ScaleAdd(to, from, float32(1/t.settings.Temperature))
	}
}
