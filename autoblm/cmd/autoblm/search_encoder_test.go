package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestSearchEncoder searches for the structures of an encoder's messages and of its decoder, resumes,
// retrains, and predicts with the kept model.
func TestSearchEncoder(t *testing.T) {
	withoutGPU(t)
	graph, dir := smallGraph(t), t.TempDir()
	search := "search --encoder blm --reciprocal --tune 0 --halving 0 --k 2 --dim 8 --epochs 1 --batch 64 " +
		"--round-size 4 --parents 4 --candidates 16 --retrain-seeds 1 --retrain-dims 8 --retrain-epochs 1 " +
		"--ensemble 0 --dataset " + graph + " --out " + dir
	object(t, search, "--budget 3")
	o := object(t, search, "--budget 6")
	has(t, o, fields{"trained": 6, "resumed": 3, "failed": 0, "engines.0": "gomlx (go)"})
	differ := false
	for _, b := range o["best"].([]any) {
		differ = differ || get(b, "message") != get(b, "structure")
		if get(b, "message") == nil {
			t.Errorf("no message in %v", b)
		}
	}
	if !differ {
		t.Error("all messages are their decoders")
	}
	m, err := kge.Load(dir + "/model")
	require.NoError(t, err)
	kept := o["kept"]
	message := m.Training.Settings.MessageOf(m.Structure)
	if asText(t, get(kept, "structure")) != asText(t, m.Structure) ||
		asText(t, get(kept, "message")) != asText(t, message) {
		t.Errorf("kept %v, and the model has %s with the message %s", kept, m.Structure, message)
	}
	has(t, object(t, "eval --engine cpu --model", dir, "--dataset", graph),
		fields{"structure": m.Structure.String()})
	has(t, object(t, "study resume --budget 8", dir), fields{"trained": 8, "resumed": 6})
	text, _ := succeed(t, "study show --verbose", dir)
	contains(t, text, ", message ")
	given := object(t, strings.Replace(search, "--retrain-seeds 1 --retrain-dims 8 --retrain-epochs 1",
		"--retrain-seeds 0", 1)+"/given --message complex --budget 2 --k 4")
	has(t, given, fields{"best.0.message": structure.MustParse("complex").String()})
	refuse(t, []refusal{
		{cli.Misuse, "set reciprocal", "search --encoder blm --no-reciprocal --dataset " + graph},
		{cli.Misuse, "set message, such as complex", "search --encoder blm --model transe --dataset " + graph},
		{cli.Misuse, "which only completion supports", "search --task query --encoder blm"},
	})
}
