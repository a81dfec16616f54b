package checkpoint

import (
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/internal/settings"
)

// restRatio is the minimum ratio of the pause between two runs of an overhead, such as writing a
// file, to the duration of a run. It limits the overhead to a twentieth of the running time.
const restRatio = 19

// Pace limits an overhead to a twentieth of the running time. The zero Pace is due.
type Pace struct {
	last time.Time     // end of the last run
	took time.Duration // duration of the last run
}

// IsDue reports whether enough time has passed since the last run.
func (p *Pace) IsDue() bool { return time.Since(p.last) >= restRatio*p.took }

// Add records a run that started at a time and ends now.
func (p *Pace) Add(began time.Time) { p.last, p.took = time.Now(), time.Since(began) }

// Took returns the duration of the last run.
func (p *Pace) Took() time.Duration { return p.took }

// Writer writes one checkpoint file again and again.
type Writer struct {
	path    string
	every   time.Duration
	onError func(error)
	pace    Pace
}

// NewWriter returns a writer for a file. It is due once the time every has passed since the last
// write, or later if writing would take more than a twentieth of the time. If onError is not nil,
// it receives failures, and the work continues; see [Writer.Tolerate].
func NewWriter(path string, every time.Duration, onError func(error)) *Writer {
	return &Writer{path: path, every: every, onError: onError, pace: Pace{last: time.Now()}}
}

// IsDue reports whether it is time to write.
func (w *Writer) IsDue() bool { return w.pace.IsDue() && w.SinceLast() >= w.every }

// SinceLast returns the time since the last attempt to write, or since [NewWriter].
func (w *Writer) SinceLast() time.Duration { return time.Since(w.pace.last) }

// Took returns the duration of the last successful write.
func (w *Writer) Took() time.Duration { return w.pace.took }

// Write writes the file, see [Write].
func (w *Writer) Write(run any, tables []Table) error {
	began := time.Now()
	if err := Write(w.path, run, tables); err != nil {
		return fmt.Errorf("write checkpoint %s: %w", w.path, err)
	}
	w.pace.Add(began)
	return nil
}

// Tolerate passes a failure to write on to the writer's onError, if it has one, and returns nil:
// the next attempt follows when the writer is due again.
func (w *Writer) Tolerate(err error) error {
	if err == nil || w.onError == nil {
		return err
	}
	w.onError(err)
	w.pace.last = time.Now()
	return nil
}

// ErrOtherTraining reports a checkpoint of other data, settings or members.
var ErrOtherTraining = errors.New("the checkpoint belongs to another training")

// Match returns an [ErrOtherTraining] that names the differences, if a file describes another
// training than the current one. Both descriptions are JSON objects.
func Match(path string, saved, current []byte) error {
	if len(saved) == 0 {
		return ReadError(path, ErrDamaged)
	}
	differences, err := settings.Difference(saved, current)
	switch {
	case err != nil:
		return ReadError(path, err)
	case differences != "":
		return fmt.Errorf("%w: %s: %s; resume that training, use another file or remove this one",
			ErrOtherTraining, path, differences)
	}
	return nil
}

// ReadError adds the file to an error of reading a checkpoint.
func ReadError(path string, err error) error {
	return fmt.Errorf("resume from checkpoint %s: %w", path, err)
}
