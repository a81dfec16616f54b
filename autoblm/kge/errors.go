package kge

import (
	"errors"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

var (
	// ErrDiverged reports a member whose loss exploded, or whose loss or embeddings stopped being
	// finite. A smaller learning rate usually helps.
	ErrDiverged = errors.New("training diverged")
	// ErrOtherTraining reports a checkpoint of other data, settings or members, or of another
	// engine.
	ErrOtherTraining = checkpoint.ErrOtherTraining
	// ErrOtherEngine reports a checkpoint or study of another engine or instruction set, which
	// rounds differently.
	ErrOtherEngine = errors.New("started by another engine")
)
