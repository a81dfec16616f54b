package kge

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/internal/deadline"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Start holds embeddings to begin a training with. Rows of other labels begin at random.
type Start struct {
	// TrainedOn identifies the data of the trainings that gave the embeddings; nil if unknown.
	TrainedOn []DataID

	tables []LabelledTable
	epochs int // that trained them
	frozen bool
	digest string // of all of the above
}

// NewStart returns a start from tables with the names of those of the model. epochs is the number of
// epochs that trained them, 0 if unknown: the more, the smaller are the first steps of Adagrad.
func NewStart(tables []LabelledTable, epochs int) *Start {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d\n", epochs)
	for _, t := range tables {
		fmt.Fprintf(hash, "%q %d %q %t\n", t.Name, t.Columns, t.Labels, t.Words)
		const most = 1 << 16 // numbers at once
		for part := range slices.Chunk(t.Numbers, most) {
			_ = binary.Write(hash, binary.LittleEndian, part) // a hash never fails
		}
	}
	return &Start{tables: tables, epochs: epochs, digest: hex.EncodeToString(hash.Sum(nil)[:16])}
}

// Freeze makes a start whose embeddings the training does not change, only those of other labels.
// It needs Adagrad.
func (s *Start) Freeze() *Start {
	frozen := *s
	frozen.frozen, frozen.digest = true, s.digest+" frozen"
	return &frozen
}

// Matched is the number of labels that begin with an embedding, of all labels of the data.
type Matched struct {
	Entities     int `json:"entities"`
	AllEntities  int `json:"all_entities"`
	Relations    int `json:"relations"`
	AllRelations int `json:"all_relations"`
}

// Match returns how many labels of the data begin with an embedding. It returns an error if the
// embeddings have another dimension, or none of the labels, or if the model has an encoder.
func (s *Start) Match(d *Data, settings Settings, m Member) (Matched, error) {
	if err := s.check(settings); err != nil {
		return Matched{}, err
	}
	all := modelLayout(d, settings, m)
	matched := Matched{AllEntities: len(d.Entities), AllRelations: len(d.Relations)}
	for _, t := range all {
		rows, err := s.rows(t)
		if err != nil {
			return matched, err
		}
		known := 0
		for _, row := range rows[:len(t.labels)] {
			if row != nil {
				known++
			}
		}
		if t.kind == "entity" {
			matched.Entities = known
		} else if t.name == all[1].name {
			matched.Relations = known
		}
	}
	if matched.Entities+matched.Relations == 0 {
		return matched, fmt.Errorf("none of the labels of %s has an embedding to begin with", d.Name)
	}
	return matched, nil
}

// check returns an error if a training with these settings cannot begin with embeddings. s may be nil.
func (s *Start) check(settings Settings) error {
	if s == nil {
		return nil
	}
	for _, t := range s.tables {
		if err := t.check(); err != nil {
			return fmt.Errorf("embeddings to begin with: %w", err)
		}
	}
	switch {
	case s.frozen && settings.Optimizer != Adagrad:
		return fmt.Errorf("a start that is frozen needs the optimizer adagrad, not %v", settings.Optimizer)
	case settings.Encoder == NoEncoder:
		return nil
	}
	return fmt.Errorf("embeddings to begin with are outputs, not inputs, of the encoder %v: "+
		"set encoder to none, which trains the decoder alone, or begin at random", settings.Encoder)
}

// modelLayout returns the tables of the model of a member.
func modelLayout(d *Data, s Settings, m Member) []labelledTable {
	p := Parameters{Form: s.FormOf(m), Dim: s.Dim, Reciprocal: s.Reciprocal}
	return (&Model{Parameters: p, EntityLabels: d.Entities, RelationLabels: d.Relations}).layout()
}

// rows returns the embedding of each label of a table in all directions, nil for none. Of several
// tables with the label, the first counts.
func (s *Start) rows(t labelledTable) ([][]float32, error) {
	names := t.allLabels()
	rows := make([][]float32, len(names))
	for _, from := range s.tables {
		if from.Name != t.name {
			continue
		}
		if from.Columns != t.rows*t.columns {
			return nil, fmt.Errorf("the %s to begin with have %d numbers each, but the model has %d: "+
				"choose the same model and dimension", t.name, from.Columns, t.rows*t.columns)
		}
		index := labels.Index(from.Labels)
		for i, label := range names {
			row, found := index[label]
			if !found && from.Words {
				row, found = index[labels.Word(label)]
			}
			if found && rows[i] == nil {
				rows[i] = from.Row(int(row))
			}
		}
	}
	return rows, nil
}

// begin sets the embeddings of a run that has not begun. Adagrad would leave them at its first
// steps, which are as long as the learning rate. So an epoch without changes collects the squared
// gradients first, and counts as often as epochs trained the embeddings. With a deadline, it takes at
// most half of the time that is left.
func (s *Start) begin(ctx context.Context, r *run) error {
	job := r.job
	state, err := r.population.State()
	if err != nil {
		return err
	}
	layout := modelLayout(job.Data, job.Settings, job.Members[0])
	known := make([][][]float32, len(layout))
	for i, t := range layout {
		if known[i], err = s.rows(t); err != nil {
			return err
		}
		for _, m := range state.Members {
			setRows(m.All()[i], known[i])
		}
	}
	if s.frozen {
		// Adagrad divides by the root of these sums, so a step is far below half a unit in the last
		// place of an embedding.
		const infinite = 1e36
		fillSlots(state, known, infinite)
		return r.population.SetState(state)
	}
	if err := r.population.SetState(state); err != nil || job.Settings.Optimizer != Adagrad {
		return err
	}
	batches, pass := job.Data.Batches(job.Settings, 1), ctx
	if d := job.Deadline; d != nil {
		var stop context.CancelFunc
		pass, stop = deadline.With(ctx, time.Now().Add(time.Until(d.End)/2))
		defer stop()
	}
	_, err = r.population.Epoch(pass, batches, make([]float64, len(job.Members)))
	if err != nil && !deadline.HasEnded(ctx, pass, err) { // the gradients of some steps will do
		return err
	}
	if state, err = r.population.State(); err != nil {
		return err
	}
	state.Steps = 0
	for i := range layout {
		for _, m := range state.Members {
			setRows(m.All()[i], known[i]) // the epoch moved the averages of batch normalization
			for _, slot := range m.Slots {
				scaleRows(slot.All()[i], known[i], float32(max(1, s.epochs)))
			}
		}
	}
	return r.population.SetState(state)
}

// fillSlots sets the slots of known rows to a value.
func fillSlots(state State, known [][][]float32, value float32) {
	for i, rows := range known {
		for _, m := range state.Members {
			for _, slot := range m.Slots {
				table := slot.All()[i]
				size := len(table) / len(rows)
				for row, numbers := range rows {
					for j := range numbers {
						table[row*size+j] = value
					}
				}
			}
		}
	}
}

// setRows copies the known rows into a table.
func setRows(table []float32, known [][]float32) {
	size := len(table) / len(known)
	for i, row := range known {
		if row != nil {
			copy(table[i*size:][:size], row)
		}
	}
}

// scaleRows multiplies the known rows of a table, and sets the others to 0.
func scaleRows(table []float32, known [][]float32, by float32) {
	size := len(table) / len(known)
	for i, row := range known {
		numbers := table[i*size:][:size]
		if row == nil {
			clear(numbers)
		}
		for j := range numbers {
			numbers[j] *= by
		}
	}
}
