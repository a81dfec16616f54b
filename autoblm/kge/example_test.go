package kge_test

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Train two structures as one population. They share the batches, so they are faster together.
func ExampleTrain() {
	engine := cpu.New(1)
	defer engine.Close()
	job := kge.Job{Data: completion.Data(datasets.World()), Settings: kge.DefaultSettings()}
	job.Settings.Dim, job.Settings.Epochs = 16, 5
	for _, name := range []string{"distmult", "complex"} {
		job.Members = append(job.Members, kge.DefaultMember(structure.MustParse(name)))
	}
	report, err := kge.Train(context.Background(), engine, job)
	if err != nil {
		panic(err)
	}
	for _, r := range report.Results {
		falls := r.Loss[len(r.Loss)-1] < r.Loss[0]
		fmt.Println(r.Model.Structure.Name(), "d", r.Model.Dim, "loss falls:", falls)
	}
	// Output:
	// distmult d 16 loss falls: true
	// complex d 16 loss falls: true
}
