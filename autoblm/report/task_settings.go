package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// values are the settings by name that mean something for a task: those of the
// search, then those of the task itself.
func values(name string, s search.Settings, own json.RawMessage) ([][2]string, error) {
	all, err := study.About{Settings: s}.Values()
	if err != nil {
		return nil, err
	}
	if name == classes {
		text, err := json.Marshal(task.Recipe{Training: s.Training, LearningRate: s.LearningRate, Weights: s.Weights})
		if err != nil {
			return nil, err
		}
		recipe, err := flatten(text) // which is of embeddings and no encoders, but for the seed
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(v [2]string) bool {
			_, means := recipe[v[0]]
			return means && v[0] != "seed"
		})
	}
	flat, err := flatten(own)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		if name != "convolution encoder" && name != "convolution parts" { // there is no choice of these
			all = append(all, [2]string{name, flat[name]})
		}
	}
	return all, nil
}

// ownDefaults are the settings that a task has for itself if nothing is said.
func ownDefaults(task string) (json.RawMessage, error) {
	switch task {
	case queries:
		s := query.DefaultSettings()
		return json.Marshal(querySettings{Hops: s.Hops, With: s.With, AnswerPower: s.AnswerPower, Negatives: s.Negatives, Margin: s.Margin})
	case classes:
		m := classify.DefaultMember()
		m.Seed = 0
		return json.Marshal(classSettings{classify.Defaults(classify.BLM), m})
	}
	return nil, nil
}

// flatten gives each value of a JSON object a name, as "convolution dim".
func flatten(text json.RawMessage) (map[string]string, error) {
	flat := map[string]string{}
	if len(text) == 0 {
		return flat, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // seeds do not fit in a float64
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("cannot read the settings of the task: %w", err)
	}
	var walk func(prefix string, object map[string]any)
	walk = func(prefix string, object map[string]any) {
		for name, value := range object {
			switch value := value.(type) {
			case map[string]any:
				walk(prefix+name+" ", value)
			case nil:
			default:
				flat[prefix+name] = fmt.Sprint(value)
			}
		}
	}
	walk("", object)
	return flat, nil
}

// meaningOf says what a setting is.
func meaningOf(task, name string) string {
	return cmp.Or(meaningsFor[task][name], meanings[name])
}

// meaningsFor are those that settings have for one task, where these differ or are
// its own.
var meaningsFor = map[string]map[string]string{
	queries: {
		"training epochs":     "passes over the training queries",
		"training batch":      "queries in a step",
		"training reciprocal": "whether the reverses of relations have embeddings of their own",
		"training data_seed":  "decides the order of the queries and their drawn answers",
		"l2":                  "weight of the squared norms of anchor, relations and drawn answer",
		"n3":                  "weight of the cubed norms of anchor, relations and drawn answer",
		"entity_l2":           "weight of the squared norms of anchor and drawn answer",
		"relation_l2":         "weight of the squared norms of the relations of a path",
		"products":            "weight of the squared norms of the products of anchor and answer with the path",
		"hops":                "lengths of the paths that decide",
		"with":                "lengths of further paths to train on",
		"answer_power":        "a query of n answers counts n to this power",
		"negatives":           "entities drawn as no answers; 0 stands for all entities",
		"margin":              "added to scores where entities are drawn",
	},
	classes: {
		"seed":                       "decides proposals and initial parameters",
		"convolution dim":            "dimension of embeddings and hidden layers",
		"convolution layers":         "how many edges away an entity still matters",
		"convolution transform":      "whether a layer multiplies messages by a matrix",
		"convolution hidden":         "whether the perceptron behind the layers has a hidden layer",
		"convolution self_loops":     "whether a layer passes on an entity's own representation",
		"convolution reverse":        "whether messages go from heads to tails too",
		"convolution seen_by":        "labelled nodes that must see an entity for it to have an embedding; 0 gives one to all",
		"convolution norm":           "what messages are divided by",
		"convolution epochs":         "the most steps, each on all nodes to train with",
		"convolution validate_every": "epochs between classifications of the nodes held out",
		"convolution patience":       "validations without a better one before a cross-validation ends; 0 never ends it",
		"convolution folds":          "parts of the nodes to train with, each held out once",
		"convolution repeats":        "how many times the nodes to train with are divided, each time in another way",
		"convolution runs":           "models trained on all nodes to train with, and tested",
		"convolution data_seed":      "decides the first division",
		"member learning_rate":       "step size of Adam",
		"member dropout":             "share of each layer's coordinates that a step sets to 0",
		"member l2":                  "weight of half the squared norms of the entities",
	},
}
