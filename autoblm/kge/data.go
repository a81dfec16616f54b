package kge

import (
	"context"

	"github.com/autoblm/autoblm-go/datasets"
)

// Data holds the examples to train and validate on. Each task makes it from its own data.
type Data struct {
	// Name is the name of the data. Source lets the task find the data again.
	Name, Source string
	// Entities and Relations are the labels by id.
	Entities, Relations []string
	// BothDirections is true if an example is also learned backwards, as the anchor given the
	// target. Such an example has one target. The loss of a batch is then the mean over its
	// examples of the sum of both cross entropies, each among all entities.
	BothDirections bool
	// Hops is the largest number of hops of a question; 0 means 1.
	Hops int
	// Count is the number of examples, or a lower bound.
	Count int
	// Fingerprint returns an identifier of the data.
	Fingerprint func() string
	// TaskSettings are settings that only the task has, or nil. With Fingerprint they
	// distinguish one training from another.
	TaskSettings any
	// Weighted says that facts have weights, so that those of examples differ.
	Weighted bool
	// Occurrences counts the uses of each row; it is needed for [Weights.PenaltyFrequency].
	Occurrences func() Occurrences
	// Answers returns the training answers of a question of one hop, ascending. Negative sampling needs
	// it for data with BothDirections.
	Answers func(anchor, relation int32) []int32
	// Triples returns the training triples, along which an encoder sends messages. It is nil for data
	// without them, such as paths.
	Triples func() []datasets.Triple
	// Batches returns the batches of an epoch, from 1. Their order depends only on the
	// settings and the epoch. The settings may limit their number. The paths in a batch have
	// the same length, except those of [Walks].
	Batches func(s Settings, epoch int) Batches
	// Teacher returns the answer of a teacher to a question of a training triple, whose relation is
	// that of a path; see [Distillation]. It is nil without a teacher. An empty answer teaches
	// nothing. [Distillation.Teacher] must identify the teacher.
	Teacher func(anchor, relation int32) Distribution
	// TeacherTrainedOn identifies the data that the teacher has learned from; see [Model.TrainedOn].
	TeacherTrainedOn []DataID
	// HeldOut is the number of questions for validation.
	HeldOut int
	// Validate returns each model's validation, without an epoch, on at most the given number of
	// questions (an [eval.Sample]; 0: all). It is nil without validation data.
	Validate func(ctx context.Context, r Ranker, most int) ([]Validation, error)
}
