package report

import (
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
)

// settings lists all settings of the study beside the defaults.
func (o *outcome) settings() (section, error) {
	s := section{ID: "settings", Title: "All settings"}
	here, err := values(o.task, o.About.Settings, o.About.TaskSettings)
	if err != nil {
		return s, err
	}
	own, err := ownDefaults(o.task)
	if err != nil {
		return s, err
	}
	usual, err := values(o.task, defaultsFor(o.task, o.About.Settings), own)
	if err != nil {
		return s, err
	}
	defaults := map[string]string{}
	for _, d := range usual {
		defaults[d[0]] = d[1]
	}
	t := &table{
		Caption: "The settings of the study; those that are not the default stand out",
		Columns: append(texts("setting"), append(numbers("value", "default"), texts("what it is")...)...),
	}
	t.add("algorithm", o.About.Algorithm, "", "how structures are proposed")
	if o.About.Settings.Budget > 0 {
		t.add("budget", o.About.Settings.Budget, search.DefaultSettings().Budget, "structures to train").Chosen = o.About.Settings.Budget != search.DefaultSettings().Budget
	}
	for _, each := range here {
		name, value := each[0], each[1]
		usual, known := defaults[name]
		if !known {
			usual = missing
		}
		means := meaningOf(o.task, name)
		if tuned := []string{"learning_rate", "n3", "training batch"}; o.About.Settings.Tune != nil && slices.Contains(tuned, name) {
			means += "; the recipe found by tuning replaces it"
		}
		t.add(strings.ReplaceAll(name, "_", " "), unbracketed(value), unbracketed(usual), means).Chosen = value != usual
	}
	if o.About.Settings.Predictor == nil {
		t.add("predictor", "none", defaults["predictor features"], "what picks the candidates").Chosen = true
	}
	s.Parts = []part{{Table: t}}
	return s, nil
}

// unbracketed is a list as people write it.
func unbracketed(value string) string {
	inner, isList := strings.CutPrefix(value, "[")
	if !isList {
		return value
	}
	return strings.ReplaceAll(strings.TrimSuffix(inner, "]"), " ", ", ")
}

// defaultsFor are the default settings of a search for a task, with the parts that s
// has.
func defaultsFor(task string, s search.Settings) search.Settings {
	usual := search.DefaultSettings()
	if task == queries {
		own := query.DefaultSettings()
		usual.Training.Batch, usual.Training.Reciprocal, usual.N3 = own.Batch, own.Reciprocal, 0
	}
	if s.Tune != nil {
		usual.Tune = search.DefaultTune()
	}
	if s.Final != nil {
		usual.Final = search.DefaultFinal()
	}
	return usual
}

// meanings of the settings, for a reader who does not know the letters of the paper.
var meanings = map[string]string{
	"k":                          "chunks of an embedding",
	"n":                          "candidates that a round generates",
	"p":                          "candidates that a round trains, together",
	"i":                          "best structures that new ones are made from",
	"b0":                         "nonzeros of the first structures; 0 stands for k",
	"pm":                         "probability that a mutation changes an entry; 0 stands for 2/k²",
	"filter":                     "which candidates are not worth training",
	"predictor features":         "what the predictor sees of a structure",
	"predictor hidden":           "width of the predictor's hidden layer",
	"predictor steps":            "optimizer steps for a fit of the predictor",
	"predictor learning_rate":    "step size of the predictor",
	"predictor weight_decay":     "weight decay of the predictor",
	"seed":                       "decides proposals and initial embeddings",
	"training dim":               "dimension d of the embeddings",
	"training epochs":            "passes over the training triples",
	"training batch":             "triples in a step",
	"training optimizer":         "the update rule",
	"training decay":             "factor on the learning rate after each epoch",
	"training initial":           "distribution of the initial embeddings",
	"training init_scale":        "standard deviation of the initial embeddings, if normal",
	"training reciprocal":        "whether relations have reverses, by which heads are asked for as tails",
	"training dropout":           "share of a query's coordinates that are set to 0 in a step",
	"training label_smoothing":   "share of a true entity that is spread over all entities",
	"training max_norm":          "norm to which longer embeddings of entities are shortened after each step",
	"training plateau_patience":  "validations in a row without a better one after which the learning rate is lowered",
	"training plateau_factor":    "factor on the learning rate then",
	"training data_seed":         "decides the order of the triples",
	"training validate_every":    "epochs between validations, of which the best is kept; 0 keeps the last epoch",
	"training patience":          "validations without a better one before a training ends; 0 never ends it",
	"training max_steps":         "steps after which an epoch stops; 0 never",
	"learning_rate":              "step size of the first epoch",
	"l2":                         "weight of the squared norms of head, relation and tail",
	"n3":                         "weight of the cubed norms of head, relation and tail",
	"entity_l2":                  "weight of the squared norms of head and tail",
	"relation_l2":                "weight of the squared norm of the relation",
	"products":                   "weight of the squared norms of the products of head and tail with the relation",
	"relation_prediction":        "weight of the cross entropy of the relation, given head and tail",
	"tune trials":                "recipes tried on SimplE before the search",
	"tune ranges learning_rate":  "learning rates of the recipes tried before the search",
	"tune ranges n3":             "n3 of the recipes tried before the search",
	"tune ranges batches":        "batches of the recipes tried before the search",
	"tune ranges dims":           "none: recipes are tried with the dimension of the search",
	"final trials":               "trainings after the search",
	"final ranges learning_rate": "learning rates of the last stage",
	"final ranges n3":            "n3 of the last stage",
	"final ranges batches":       "batches of the last stage",
	"final ranges dims":          "dimensions of the last stage",
	"final epochs":               "epochs of the last stage",
	"final validate_every":       "epochs between validations in the last stage",
	"final patience":             "validations without a better one before a training of the last stage ends; 0 never ends it",
}
