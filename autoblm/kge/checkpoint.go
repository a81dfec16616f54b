package kge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/autoblm/autoblm-go/internal/settings"
)

// Checkpoint lets a training end early and go on later, in another process too,
// with the results of one that was left alone.
type Checkpoint struct {
	// File keeps the training after an epoch: [Train] goes on from what it holds, and
	// writes it anew, whole or not at all, in between and at its end. Its folder must
	// exist. A file of another training is an error; see [ErrOtherTraining].
	File string
	// Every is how much time lies between two writings, at least; there are fewer
	// where they would take more than a twentieth of the time.
	Every time.Duration
	// Until, when set, ends the training in time: before an epoch that is not likely
	// to be over by then.
	Until time.Time
}

// ErrOtherTraining marks a checkpoint that is of other data, settings or members.
var ErrOtherTraining = errors.New("the checkpoint is of another training")

// keeper writes checkpoints of a run. Without a Checkpoint it does nothing.
type keeper struct {
	*Checkpoint
	about   []byte
	epochs  int           // that the file has
	written time.Time     // when the file was
	writing time.Duration // how long that took
	longest time.Duration // of the epochs so far, with their validations
}

// trainingID is what a checkpoint is of.
type trainingID struct {
	Data     string   `json:"data"` // its fingerprint
	Own      any      `json:"own,omitempty"`
	Settings Settings `json:"settings"`
	Members  []Member `json:"members"`
}

func newKeeper(c *Checkpoint, d *Data, s Settings, members []Member) (*keeper, error) {
	k := &keeper{Checkpoint: c, written: time.Now()}
	if c == nil {
		return k, nil
	}
	var err error
	k.about, err = json.Marshal(trainingID{d.Fingerprint(), d.Own, s, members})
	return k, err
}

// keptRun is what a checkpoint holds of a run, beside its tables.
type keptRun struct {
	About   json.RawMessage `json:"about"`
	Epochs  int             `json:"epochs"` // that are over
	Steps   int             `json:"steps"`
	Timing  Timing          `json:"timing"`
	Members []keptMember    `json:"members"`
}

type keptMember struct {
	standing
	// Slots is how many tables of the optimizer follow the embeddings, and HasBest
	// whether those of the best epoch do.
	Slots   int  `json:"slots"`
	HasBest bool `json:"has_best"`
}

// timeIsUp says whether another epoch would not be over in time.
func (k *keeper) timeIsUp() bool {
	return k.Checkpoint != nil && !k.Until.IsZero() && time.Now().Add(k.longest+k.longest/10+k.writing).After(k.Until)
}

// epochOver notes an epoch that began then, and writes a checkpoint when it is time to.
func (k *keeper) epochOver(r *run, began time.Time) error {
	k.longest = max(k.longest, time.Since(began))
	if k.Checkpoint == nil || time.Since(k.written) < max(k.Every, 19*k.writing) {
		return nil
	}
	return k.write(r)
}

// write keeps the run as it stands, if the file does not have it so already.
func (k *keeper) write(r *run) error {
	if k.Checkpoint == nil || k.epochs == r.epochs {
		return nil
	}
	began := time.Now()
	state, err := r.population.State()
	if err != nil {
		return err
	}
	if err := writeCheckpoint(k.File, r.kept(k.about, state), r.tables(state)); err != nil {
		return fmt.Errorf("cannot write the checkpoint %s: %w", k.File, err)
	}
	k.epochs, k.written, k.writing = r.epochs, time.Now(), time.Since(began)
	return nil
}

// goOn brings a run to where the checkpoint is, if there is one.
func (k *keeper) goOn(r *run) error {
	if k.Checkpoint == nil {
		return nil
	}
	kept, tables, err := readCheckpoint(k.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot go on with the checkpoint %s: %w", k.File, err)
	}
	differ, err := settings.Difference(kept.About, k.about)
	if err == nil && differ != "" {
		return fmt.Errorf("%w: %s, with %s; go on with that one, name another file or remove this one", ErrOtherTraining, k.File, differ)
	}
	if err == nil {
		err = r.goOn(kept, tables)
	}
	if err != nil {
		return fmt.Errorf("cannot go on with the checkpoint %s: %w", k.File, err)
	}
	k.epochs = r.epochs
	return nil
}

// groups is how many times the checkpoint has the tables of a model.
func (k keptRun) groups() (n int) {
	for _, m := range k.Members {
		n += 1 + m.Slots
		if m.HasBest {
			n++
		}
	}
	return n
}

func (r *run) kept(about []byte, s State) keptRun {
	kept := keptRun{About: about, Epochs: r.epochs, Steps: s.Steps, Timing: r.timing}
	kept.Timing.PerStep = r.perStep()
	for i, m := range r.members {
		kept.Members = append(kept.Members, keptMember{m.standing, len(s.Members[i].Slots), m.best != nil})
	}
	return kept
}

// tables are those of a checkpoint, in its order.
func (r *run) tables(s State) [][]float32 {
	var all [][]float32
	for i, m := range s.Members {
		all = append(all, m.all()...)
		for _, slot := range m.Slots {
			all = append(all, slot.all()...)
		}
		if best := r.members[i].best; best != nil {
			all = append(all, best.all()...)
		}
	}
	return all
}

func (r *run) goOn(kept keptRun, tables [][]float32) error {
	if len(kept.Members) != len(r.members) {
		return errDamagedCheckpoint
	}
	s := r.job.Settings
	each := 1 + len(r.job.Members[0].Form.Spec().Tables(s.Dim)) // tables at a time
	if len(tables) != each*kept.groups() {
		return errDamagedCheckpoint
	}
	next := func() (t Tables) {
		t, tables = tablesOf(tables[:each:each]), tables[each:]
		return t
	}
	state := State{Steps: kept.Steps}
	for i, m := range kept.Members {
		of := r.job.Members[i]
		member := MemberState{Parameters: Parameters{Form: of.Form, Dim: s.Dim, Reciprocal: s.Reciprocal}}
		member.Structure, _ = of.Form.Spec().Structure(of.Structure)
		member.Tables = next()
		for range m.Slots {
			member.Slots = append(member.Slots, next())
		}
		state.Members = append(state.Members, member)
		r.members[i].standing = m.standing
		if m.HasBest {
			p := member.Parameters
			if p.Tables = next(); !p.sameSizes(member.Tables) {
				return errDamagedCheckpoint
			}
			r.members[i].best = &p
		}
	}
	r.epochs = kept.Epochs
	compiled := r.timing.Compile
	r.timing = kept.Timing
	r.timing.Compile += compiled
	return r.population.SetState(state)
}
