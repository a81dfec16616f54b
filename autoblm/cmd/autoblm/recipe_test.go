package main

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestRecipeJSON(t *testing.T) {
	has(t, object(t, "recipe list"), fields{"recipes.#": len(recipe.All())})
	var names []string
	for _, r := range object(t, "recipe list --dataset fb15k-237")["recipes"].([]any) {
		names = append(names, get(r, "name").(string))
	}
	same(t, "recipes for fb15k-237", strings.Join(names, " "),
		"paper paper-search n3 dura dura-cp rescal rp kgbench metasd-base bique ivr ivr-quate "+
			"ivr-analogy ivr-tucker tucker meim rotate transe pairre conve compgcn compgcn-conve rgcn "+
			"interstellar rsn default default-small dense large huge vast basic small transh")
	has(t, object(t, "recipe list --dataset world"), fields{"recipes.#": len(recipe.For(""))})
	for name, want := range map[string]string{
		"wn18": "", "wn81": "autoblm: no recipe is for wn81 alone; these are for any graph\n",
	} {
		_, stderr := succeed(t, "recipe list --dataset", name)
		same(t, name, stderr, want)
	}
	graph := smallGraph(t)
	o := object(t, "recipe show default", graph)
	has(t, o, fields{"dataset": ""})
	contains(t, o["command"].(string), " train --dataset "+graph+" --recipe default")
	fail(t, cli.Misuse, `unknown data set "wn18r"; did you mean wn18, wn18rr?`, "recipe show paper wn18r")
	has(t, object(t, "recipe show rp fb15k-237"), fields{
		"published.mrr": 0.388, "relation_prediction": 4, "n3": 0.1, "training.dim": 2000,
	})
	list, _ := succeed(t, "recipe list --verbose")
	for _, r := range recipe.All() {
		contains(t, flat(list), flat(r.About), flat("from "+r.Source))
	}
	stdout, _ := succeed(t, "recipe show rescal wn18rr")
	contains(t, stdout, "model: gqe\n", "train --dataset wn18rr --recipe rescal\n")
	stdout, _ = succeed(t, "recipe show n3 wn18")
	for _, text := range []string{list, stdout} {
		contains(t, text, "facebookresearch/kbc", "0.950")
	}
}

// TestRecipesDiffer: no two rows of the list are equal but for their name.
func TestRecipesDiffer(t *testing.T) {
	list, _ := succeed(t, "recipe list")
	seen := map[string]string{}
	for line := range strings.Lines(list) {
		name, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimLeft(rest, " ")
		if other := seen[rest]; name != "" && other != "" {
			t.Errorf("%s and %s have the row %q", name, other, rest)
		}
		seen[rest] = name
	}
}
