package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
)

var (
	trainEpochs = flag.Int("epochs", 2, "BenchmarkTraining: number of epochs")
	trainSteps  = flag.Int("max-steps", 0, "BenchmarkTraining: limit of steps per epoch; 0 for none")
	trainRank   = flag.Bool("rank", true, "BenchmarkTraining: rank the test triples")
)

// BenchmarkTraining runs a training of the comparison with peers. It prints the same JSON.
func BenchmarkTraining(b *testing.B) {
	for _, t := range trainings() {
		b.Run(t.ID, func(b *testing.B) {
			g, err := datasets.ReadFolder(realdata.Folder(b, t.Dataset))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				text, err := json.Marshal(trainAs(b, t, g))
				if err != nil {
					b.Fatal(err)
				}
				fmt.Printf("\n%s%s\n", trainedMark, text)
			}
		})
	}
}

// memberOf returns the member of a training.
func memberOf(t training) (kge.Member, error) {
	m := kge.DefaultMember(structure.Structure{})
	m.LearningRate = t.Rate
	if t.Model == rotateModel {
		return m, m.Form.UnmarshalText([]byte(t.Model))
	}
	var err error
	m.Structure, err = structure.Parse(t.Model)
	return m, err
}

// settingsOf returns the settings of a training without its length.
func settingsOf(t training) kge.Settings {
	s := kge.DefaultSettings()
	s.Dim, s.Batch, s.Reciprocal = t.Dim, t.Batch, t.Reverses
	return s
}

// trainAs trains and ranks.
func trainAs(b *testing.B, t training, g *datasets.Graph) (printed printedTraining) {
	b.Helper()
	engine, err := compute().Open()
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	m, err := memberOf(t)
	if err != nil {
		b.Fatal(err)
	}
	settings := settingsOf(t)
	settings.Epochs, settings.MaxSteps = *trainEpochs, *trainSteps
	settings.Precision, err = engine.Precision(asked, m.Form, len(g.Entities), t.Dim)
	if err != nil {
		b.Fatal(err)
	}
	printed.Precision = settings.Precision.String()
	printed.PerEpoch = (len(g.Train) + t.Batch - 1) / t.Batch
	printed.Timed = timedSteps(len(g.Train), settings)
	report := mustTrain(b, engine, kge.Job{
		Data: completion.Data(g), Settings: settings, Members: []kge.Member{m},
		OnEpoch: timeSteps(printed.Timed, &printed.Steps),
	})
	for i := range printed.Steps {
		printed.Steps[i] *= 1e3 // milliseconds
	}
	if !*trainRank {
		return printed
	}
	begin := time.Now()
	e, err := completion.Evaluate(b.Context(), engine, report.Results[0].Model, g, "test",
		eval.Pessimistic)
	if err != nil {
		b.Fatal(err)
	}
	printed.Test.MRR, printed.Test.Seconds = e.Both.MRR, time.Since(begin).Seconds()
	return printed
}

// TestMembers checks that our engine supports all trainings.
func TestMembers(t *testing.T) {
	for _, c := range trainings() {
		m, err := memberOf(c)
		if err != nil {
			t.Fatal(err)
		}
		settings := settingsOf(c)
		settings.Epochs = c.Epochs
		if err := settings.ValidateFor(m); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if rotates := m.Form != form.Bilinear; rotates != (c.Model == rotateModel) {
			t.Errorf("%s trains %v", c.ID, m.Form)
		}
	}
}
