package kge

import (
	"errors"
	"fmt"
)

// Distillation adds the answers of a teacher, another model or an ensemble, to what a model learns
// (Hinton et al., 2015). With weight a and temperature T, the cross entropy of each answer has the
// weight 1-a. The rest is a·T² times the cross entropy between the teacher's [Distribution] of the
// question and the softmax of the model's scores of the same entities, divided by T. The zero value
// has no teacher.
type Distillation struct {
	TeacherWeight float64 `json:"teacher_weight,omitempty" default:"0.5" min:"0" below:"1" placeholder:"NUMBER" needs:"from-ensemble" minor:"" brief:"Share of the loss that is learned from --from-ensemble." help:"Share a of the loss that is learned from the scores of --from-ensemble; the answers of the training triples keep 1-a. It is below 1, because only the triples teach about entities with low scores. Default: 0.5."`
	Temperature   float64 `json:"temperature,omitempty" default:"2" min:"0" max:"1000" placeholder:"NUMBER" needs:"from-ensemble" help:"Divisor of the scores of both models in the loss of --teacher-weight. The higher, the more the teacher's low scores count. Default: 2."`
	// Teacher identifies [Data.Teacher], so that a training resumes with the same one. Set both: all
	// teachers with the identity "" count as the same one.
	Teacher string `json:"teacher,omitempty" kong:"-"`
}

// Distribution has some entities with their shares of a teacher's answer, whose sum is 1. Others play
// no part in what is learned of a teacher.
type Distribution struct {
	Entities []int32 // each once
	Shares   []float32
}

// HasTeacher reports whether there is a teacher.
func (d Distillation) HasTeacher() bool { return d.TeacherWeight > 0 }

// validateDistillation checks that the loss of a teacher is defined.
func (s Settings) validateDistillation() error {
	if s.HasTeacher() && s.Temperature == 0 {
		return errors.New("temperature is 0, and scores are divided by it: set one above 0, such as 2")
	}
	return nil
}

// CheckTeacher returns an error if the settings have a teacher, but training on the data does not.
func (s Settings) CheckTeacher(d *Data) error {
	switch {
	case !s.HasTeacher():
		return nil
	case !d.BothDirections:
		return errors.New("only triples have a teacher: leave teacher-weight at 0")
	case d.Teacher == nil:
		return fmt.Errorf("teacher-weight is %v, but %s has no teacher: leave it at 0",
			s.TeacherWeight, d.Name)
	case s.Buckets > 1:
		return fmt.Errorf("%d buckets lack most answers of a teacher: leave buckets at 0", s.Buckets)
	}
	return nil
}
