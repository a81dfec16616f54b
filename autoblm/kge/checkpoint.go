package kge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Checkpoint lets a training end early and go on later, in another process too,
// with the results of one that was left alone.
type Checkpoint struct {
	// File keeps the training after an epoch: [Train] goes on from what it holds, and
	// writes it anew, whole or not at all, in between and where it ends early. Its folder
	// must exist. A file of another training is an error; see [ErrOtherTraining]. The file
	// written before stays beside it and stands in for it where it is damaged.
	File string
	// Every is how much time lies between two writings, at least, and what a kill may
	// cost; there are fewer where they would take more than a twentieth of the time.
	Every time.Duration
	// Until, when set, ends the training in time: before an epoch that is not likely
	// to be over by then.
	Until time.Time
	// AnyEngine lets a training go on that another engine or instruction set began, whose
	// results differ in rounding; without it that is [ErrOtherEngine].
	AnyEngine bool
	// OnError, when set, is told that the file cannot be written on the way, as on a full
	// disk; the training goes on, and it is tried again. Without it, that is an error.
	OnError func(error)
}

var (
	// ErrOtherTraining marks a checkpoint that is of other data, settings or members, or of
	// another engine.
	ErrOtherTraining = errors.New("the checkpoint is of another training")
	// ErrOtherEngine marks what another engine or instruction set began, whose results differ
	// in rounding.
	ErrOtherEngine = errors.New("another engine began this")
)

// keeper writes checkpoints of a run. Without a Checkpoint it does nothing.
type keeper struct {
	*Checkpoint
	about   []byte
	engine  string
	large   bool          // whether there is no room for last
	last    *standstill   // after the last epoch that was copied
	copied  time.Time     // when that was
	copying time.Duration // how long that took
	epochs  int           // that the file has
	written time.Time     // when the file was
	writing time.Duration // how long that took
	longest time.Duration // of the epochs so far, with their validations
}

// Tests change these.
var (
	// mostKept is how many bytes of a run are copied after an epoch, to have it where the run
	// is interrupted. The epochs of a larger one take long, so that its file does.
	mostKept = 256.0 * (1 << 20)
	// cheap is a copy that is made after each epoch. A dearer one waits: on a GPU it may take a
	// third of the time of an epoch.
	cheap = 20 * time.Millisecond
)

// rest is how many times as long as a file or a copy took passes before the next one, so
// that either takes a twentieth of the time at most.
const rest = 19

// standstill is a run at the end of an epoch, as a checkpoint has it.
type standstill struct {
	keptRun
	tables [][]float32
}

// trainingID is what a checkpoint is of.
type trainingID struct {
	Data     string   `json:"data"` // its fingerprint
	Own      any      `json:"own,omitempty"`
	Settings Settings `json:"settings"`
	Members  []Member `json:"members"`
}

func (j Job) about() ([]byte, error) {
	return json.Marshal(trainingID{j.Data.Fingerprint(), j.Data.Own, j.Settings, j.Members})
}

// Name is a short name for a job that an engine does, for the file that keeps it: the same
// for the same data, settings and members on the same engine and instruction set, whose
// results are the same, and another one for others. It is the same for all precisions, and for
// all that they alone use, so that a training that was begun in one is found, and not begun
// again in another.
func (j Job) Name(engine Engine) (string, error) {
	j.Settings.Precision = Float32
	about, err := j.about()
	if err != nil {
		return "", err
	}
	return checkpoint.Name(about, engine.Name(), engine.Backend(Float32)), nil
}

func newKeeper(j Job, e Engine) (*keeper, error) {
	k := &keeper{Checkpoint: j.Checkpoint, engine: e.Name() + " " + e.Backend(j.Settings.Precision), written: time.Now()}
	if k.Checkpoint == nil {
		return k, nil
	}
	k.large = stateBytes(j.Data, j.Settings, j.Members) > mostKept
	var err error
	k.about, err = j.about()
	return k, err
}

// keptRun is what a checkpoint holds of a run, beside its tables.
type keptRun struct {
	About   json.RawMessage `json:"about"`
	Engine  string          `json:"engine"`          // of the last epoch, with its backend in the precision; none in old files
	Epochs  int             `json:"epochs"`          // that are over
	Begun   int             `json:"begun,omitempty"` // steps of the next one, which Steps has too
	Steps   int             `json:"steps"`
	Timing  Timing          `json:"timing"`
	Members []keptMember    `json:"members"`
	// ValidateBy is that of the job: scores of other samples would not compare.
	ValidateBy int `json:"validate_by,omitempty"`
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
	if k.Checkpoint == nil {
		return nil
	}
	isTime := time.Since(k.written) >= max(k.Every, rest*k.writing) || k.large && k.epochs == 0
	isDue := !k.large && (k.copying < cheap || time.Since(k.copied) >= rest*k.copying)
	if !isTime && !isDue {
		return nil
	}
	if err := k.stand(r); err != nil || !isTime {
		return err
	}
	return k.tolerate(k.write())
}

// stand notes where a run stands after an epoch.
func (k *keeper) stand(r *run) error {
	take := r.population.State
	if k.large { // which is written at once
		take = func() (State, error) { return shown(r.population) }
	}
	began := time.Now()
	state, err := take()
	if err == nil {
		k.last = &standstill{r.kept(k, state), r.tables(state)}
		k.copied, k.copying = time.Now(), time.Since(began)
	}
	return err
}

// over writes a checkpoint of a run that ends early. One that is complete is kept only if
// it is time to.
func (k *keeper) over(r *run) error {
	if k.Checkpoint == nil || r.complete() && time.Since(k.written) < k.Every {
		return nil
	}
	if k.epochs != r.epochs && (k.last == nil || k.last.Epochs != r.epochs) {
		if err := k.stand(r); err != nil {
			return err
		}
	}
	return k.write()
}

// write keeps the epoch that was copied last, if there is one that the file does not have.
func (k *keeper) write() error {
	if k.last == nil || k.epochs == k.last.Epochs && k.last.Begun == 0 {
		return nil
	}
	began, last := time.Now(), k.last
	if k.large {
		k.last = nil
	}
	if err := checkpoint.Write(k.File, last.keptRun, last.tables); err != nil {
		return fmt.Errorf("cannot write the checkpoint %s: %w", k.File, err)
	}
	k.epochs, k.written, k.writing = last.Epochs, time.Now(), time.Since(began)
	return nil
}

// goOn brings a run to where the checkpoint is, and says whether there is one.
func (k *keeper) goOn(r *run) (bool, error) {
	if k.Checkpoint == nil {
		return false, nil
	}
	var kept keptRun
	tables, err := checkpoint.Read(k.File, &kept)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot go on with the checkpoint %s: %w", k.File, err)
	}
	differ, err := settings.Difference(kept.About, k.about)
	if err == nil && differ == "" && kept.Engine != "" && kept.Engine != k.engine && !k.AnyEngine {
		return false, fmt.Errorf("%w: %w: %s, engine %s there, %s here; go on with that one, name another file or remove this one", ErrOtherTraining, ErrOtherEngine, k.File, kept.Engine, k.engine)
	}
	if err == nil && differ != "" {
		return false, fmt.Errorf("%w: %s, with %s; go on with that one, name another file or remove this one", ErrOtherTraining, k.File, differ)
	}
	if err == nil {
		k.last = &standstill{kept, tables}
		compiled := r.timing.Compile
		err = r.goOn(*k.last)
		r.timing.Compile += compiled
	}
	if err != nil {
		return false, fmt.Errorf("cannot go on with the checkpoint %s: %w", k.File, err)
	}
	k.epochs = r.epochs
	if k.large {
		k.last = nil
	}
	return true, nil
}

// goBack brings a run that was interrupted back to the end of the epoch that was copied last,
// and keeps it; a large one to what the file has. It says whether the run is there, also where
// it could not be kept.
func (k *keeper) goBack(r *run) (bool, error) {
	if k.large && k.epochs > 0 {
		return k.goOn(r)
	}
	if k.last == nil {
		return false, nil
	}
	if err := r.goOn(*k.last); err != nil {
		return false, err
	}
	return true, k.write()
}

// cut keeps a run that its deadline has ended: as it is, where all members have taken the same
// steps, else as after the epoch that was copied last.
func (k *keeper) cut(r *run, s State) error {
	if k.Checkpoint == nil {
		return nil
	}
	if r.begun > 0 && len(r.members) == 1 {
		k.last = &standstill{r.kept(k, s), r.tables(s)}
	}
	return k.tolerate(k.write())
}

// tolerate tells whoever wants to know of an error on the way, which then is none.
func (k *keeper) tolerate(err error) error {
	if err == nil || k.OnError == nil {
		return err
	}
	k.OnError(err)
	k.written = time.Now()
	return nil
}

// groups is how many times the checkpoint has the tables of a model.
func (k keptRun) groups() (n int) {
	for _, m := range k.Members {
		if m.Slots < 0 {
			return -1
		}
		n += 1 + m.Slots
		if m.HasBest {
			n++
		}
	}
	return n
}

func (r *run) kept(k *keeper, s State) keptRun {
	kept := keptRun{About: k.about, Engine: k.engine, Epochs: r.epochs, Begun: r.begun, Steps: s.Steps, Timing: r.timing, ValidateBy: r.job.ValidateBy}
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

func (r *run) goOn(kept standstill) error {
	tables := kept.tables
	if len(kept.Members) != len(r.members) {
		return checkpoint.ErrDamaged
	}
	s := r.job.Settings
	each := 1 + len(r.job.Members[0].Form.Spec().Tables(s.Dim)) // tables at a time
	if len(tables) != each*kept.groups() || kept.Begun < 0 {
		return checkpoint.ErrDamaged
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
		r.members[i] = memberRun{standing: m.standing}
		if m.HasBest {
			p := member.Parameters
			if p.Tables = next(); !p.sameSizes(member.Tables) {
				return checkpoint.ErrDamaged
			}
			r.members[i].best = &p
		}
	}
	r.epochs, r.begun, r.steps = kept.Epochs, kept.Begun, kept.Steps-kept.Begun
	r.timing, r.job.ValidateBy = kept.Timing, kept.ValidateBy
	return r.population.SetState(state)
}
