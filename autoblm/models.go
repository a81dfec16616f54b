package autoblm

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/exchange"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
)

// Export writes the embeddings of a member of a predictor into a folder, in a format of package
// exchange, and returns the paths of the files. Members are numbered from 0; a single model is 0.
func Export(p Predictor, member int, f exchange.Format, dir string) ([]string, error) {
	models := p.Models()
	if member < 0 || member >= len(models) {
		return nil, fmt.Errorf("export member %d: the predictor has %d, numbered from 0", member, len(models))
	}
	return exchange.Export(models[member], f, dir)
}

// Import reads a ComplEx or DistMult model of PyKEEN or LibKGE. It executes nothing of the file.
func Import(o exchange.ImportOptions) (Predictor, error) {
	m, err := exchange.Import(o)
	if err != nil {
		return nil, err
	}
	return opened(completion.Single{Model: m}, nil)
}

// Neighbor is an entity or a relation with its similarity to another one.
type Neighbor = completion.Neighbor

// Neighbors returns the entities with the most similar embeddings by their cosine, best first; top 0
// returns all.
func Neighbors(p Predictor, entity string, top int) ([]Neighbor, error) {
	return completion.Neighbors(p.Models(), entity, top)
}

// RelationNeighbors returns the relations with the most similar embeddings like [Neighbors].
func RelationNeighbors(p Predictor, relation string, top int) ([]Neighbor, error) {
	return completion.RelationNeighbors(p.Models(), relation, top)
}

// MapOf places at most a number of entities on the plane in which their embeddings vary most.
// NewMap of package report makes a page of it. g colours the entities; it may be nil.
func MapOf(p Predictor, g *datasets.Graph, most int) *task.Map {
	return completion.MapOf(p.Models(), g, most)
}
