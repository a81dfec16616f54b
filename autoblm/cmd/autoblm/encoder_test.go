package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestTrainEncoder checks that an encoder chooses its engine, that its model answers without it, and
// that it continues with more epochs but not from another model.
func TestTrainEncoder(t *testing.T) {
	t.Chdir(t.TempDir())
	withoutGPU(t)
	graph := smallGraph(t)
	line := "train --recipe compgcn --dim 8 --no-eval --validate-every 0 --patience 0 --dataset " + graph
	trained := object(t, line, "--epochs 2 --out model")
	has(t, trained, fields{"engine": "gomlx", "recipe": "compgcn"})
	for _, flags := range []string{"", "--engine cpu"} {
		has(t, object(t, "eval --model model", flags), fields{"encoder": trained["encoder"]})
	}
	stdout, _ := succeed(t, "eval --model model")
	contains(t, flat(stdout), "after compgcn-")
	object(t, "predict --model model --head e12 --relation near")
	has(t, object(t, line, "--epochs 3 --out model"), fields{"resumed": 2.0})
	stdout, _ = succeed(t, line, "--epochs 1")
	contains(t, flat(stdout), "after compgcn-")
	if other := object(t, line, "--epochs 2 --encoder blm --message complex"); asText(t,
		other["loss"]) == asText(t, trained["loss"]) {
		t.Error("another message makes no difference")
	}
	stderr := fail(t, cli.Misuse, "set encoder to none", "train --no-eval --from model --dataset", graph)
	if strings.Contains(stderr, "begin with an embedding") {
		t.Errorf("embeddings to begin with are counted before they are refused: %s", stderr)
	}
	object(t, "train --no-eval --epochs 1 --encoder none --from model --dataset", graph)
	fail(t, cli.Failed, "engine cpu does not train the encoder", line, "--engine cpu")
}
