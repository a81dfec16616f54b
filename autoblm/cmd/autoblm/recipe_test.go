package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestRecipeJSON(t *testing.T) {
	if got, want := len(object(t, "recipe", "list")["recipes"].([]any)),
		len(recipe.All()); got != want {
		t.Errorf("%d recipes listed, want %d", got, want)
	}
	var names []string
	for _, r := range object(t, "recipe", "list", "--dataset", "fb15k-237")["recipes"].([]any) {
		names = append(names, r.(map[string]any)["name"].(string))
	}
	if want := "paper paper-search n3 dura rescal rp default default-small large basic small"; strings.Join(names, " ") != want {
		t.Errorf("recipes for fb15k-237: %v, want %s", names, want)
	}
	if got, want := len(object(t, "recipe", "list", "--dataset", "world")["recipes"].([]any)),
		len(recipe.For("")); got != want {
		t.Errorf("%d recipes for world, want the %d for any graph", got, want)
	}
	if o := object(t, "recipe", "show", "default", "mine"); o["dataset"] != "" ||
		!strings.HasSuffix(o["command"].(string), " train --dataset mine --recipe default") {
		t.Errorf("%v", o)
	}
	o := object(t, "recipe", "show", "rp", "fb15k-237")
	if o["published"].(map[string]any)["mrr"] != 0.388 || o["relation_prediction"] != 4.0 ||
		o["n3"] != 0.1 || o["training"].(map[string]any)["dim"] != 2000.0 {
		t.Errorf("%v", o)
	}
	_, stdout, _ := invoke(t.Context(), "recipe", "list")
	for _, r := range recipe.All() {
		if !strings.Contains(stdout, r.About+"; from "+r.Source+"\n") {
			t.Errorf("the list does not say what %s for %q is", r.Name, r.Dataset)
		}
	}
	if _, stdout, _ := invoke(t.Context(), "recipe", "show", "rescal",
		"wn18rr"); !strings.Contains(stdout, "model: gqe\n") ||
		!strings.Contains(stdout, "train --dataset wn18rr --recipe rescal\n") {
		t.Errorf("%s", stdout)
	}
	for _, text := range [][]string{{"recipe", "list"}, {"recipe", "show", "n3", "wn18"}} {
		status, stdout, stderr := invoke(t.Context(), text...)
		if status != cli.Done || !strings.Contains(stdout, "facebookresearch/kbc") ||
			!strings.Contains(stdout, "0.950") {
			t.Errorf("%v: status %d, %q, %q", text, status, stdout, stderr)
		}
	}
}
