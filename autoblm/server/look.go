package server

import (
	"context"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/danielgtaylor/huma/v2"
)

// models is the list of models.
type models struct {
	Models []modelInfo `json:"models" nullable:"false" doc:"The models; requests use the first by default."`
}

// modelInfo describes a model.
type modelInfo struct {
	Name       string    `json:"name" doc:"Name by which requests choose the model."`
	Loaded     time.Time `json:"loaded" doc:"Time when the model was loaded."`
	Dataset    string    `json:"dataset,omitempty" doc:"Name of the training data."`
	Entities   int       `json:"entities" doc:"Number of entities."`
	Relations  int       `json:"relations" doc:"Number of relations."`
	Members    []member  `json:"members" nullable:"false" doc:"The model, or the members of an ensemble."`
	Predicts   bool      `json:"predicts" doc:"Whether it answers queries about triples."`
	Facts      bool      `json:"facts" doc:"Whether known facts are listed."`
	Paths      bool      `json:"paths" doc:"Whether it answers queries of several hops."`
	Classifies bool      `json:"classifies" doc:"Whether it classifies nodes."`
}

// member is one model.
type member struct {
	Form      string  `json:"form" doc:"How it scores triples."`
	Dim       int     `json:"dim" doc:"Size of the embeddings."`
	Title     string  `json:"title" doc:"Name of the structure or the form."`
	Structure [][]int `json:"structure,omitempty" doc:"The matrix of a structure."`
}

func (s *Server) models(context.Context, *struct{}) (out models, err error) {
	for _, slot := range s.slots {
		l, err := slot.acquire()
		if err != nil {
			return out, err
		}
		info := modelInfo{
			Name: l.name, Loaded: l.since, Entities: len(l.Entities), Relations: len(l.Relations),
			Predicts: l.batcher != nil, Facts: l.Graph != nil, Paths: l.Model.Paths != nil,
			Classifies: l.Model.Classes != nil, Members: []member{},
		}
		for _, m := range l.Members {
			info.Dataset = m.Dataset
			about := member{Form: m.Form.String(), Dim: m.Dim, Title: m.Form.String()}
			if k := m.Structure.K(); k > 0 {
				about.Title = m.Form.Title(m.Structure)
				about.Structure = m.Structure.Rows()
			}
			info.Members = append(info.Members, about)
		}
		l.release()
		out.Models = append(out.Models, info)
	}
	return out, nil
}

// relations is the list of relations.
type relations struct {
	ModelName
	Relations []string `json:"relations" nullable:"false" doc:"Labels of the relations."`
}

func (l *loaded) relations(ModelChoice) (relations, error) {
	return relations{ModelName{l.name}, append([]string{}, l.Relations...)}, nil
}

type entitiesRequest struct {
	ModelChoice
	Text  string `query:"q" doc:"Part of the label, in any case and without accents."`
	Limit int    `query:"limit" default:"10" minimum:"1" maximum:"1000" doc:"Number of entities."`
}

// entities is the result of a search.
type entities struct {
	ModelName
	Entities []string `json:"entities" nullable:"false" doc:"Labels with that part, best first."`
	Total    int      `json:"total" doc:"Number of entities with that part."`
}

func (l *loaded) entities(r entitiesRequest) (entities, error) {
	found, total := l.index.search(r.Text, r.Limit)
	return entities{ModelName{l.name}, append([]string{}, found...), total}, nil
}

// EntityChoice is the part of a request that names an entity.
type EntityChoice struct {
	ModelChoice
	Entity string `query:"entity" required:"true" doc:"Label of the entity."`
}

// EntityName is the part of an answer that names the entity.
type EntityName struct {
	ModelName
	Entity string `json:"entity" doc:"Label of the entity."`
}

func (l *loaded) entityName(label string) EntityName { return EntityName{ModelName{l.name}, label} }

const withoutData = "is served without its data: serve it with them"

type factsRequest struct {
	EntityChoice
	Limit int `query:"limit" default:"100" minimum:"1" maximum:"100000" doc:"Number of facts."`
}

// facts are the known facts of an entity.
type facts struct {
	EntityName
	Facts []triple `json:"facts" nullable:"false" doc:"Facts with the entity as head or tail, by relation; each relation has some if the limit allows."`
	Total int      `json:"total" doc:"Number of facts, which may be more than the limit."`
}

// triple is a fact.
type triple struct {
	Head     string `json:"head" doc:"Label of the head."`
	Relation string `json:"relation" doc:"Label of the relation."`
	Tail     string `json:"tail" doc:"Label of the tail."`
}

func (l *loaded) facts(r factsRequest) (out facts, err error) {
	switch {
	case l.Answerer == nil:
		return out, l.lacking("lists no facts")
	case l.Graph == nil:
		return out, l.lacking(withoutData)
	}
	id, found := l.Answerer.EntityID(r.Entity)
	if !found {
		_, err := labels.Entity(l.Entities, r.Entity)
		return out, huma.Error404NotFound(format.OneLine(err))
	}
	out = facts{EntityName: l.entityName(r.Entity), Facts: []triple{}}
	known := l.Graph.Known()
	var others [][]int32 // the tails and then the heads of each relation
	var sizes []int
	for r := range int32(len(l.Relations)) {
		tails, heads := known.Tails(id, r), known.Heads(r, id)
		if at := slices.Index(heads, id); at >= 0 { // a loop is a fact of its head
			heads = slices.Concat(heads[:at], heads[at+1:])
		}
		others = append(others, tails, heads)
		sizes = append(sizes, len(tails), len(heads))
		out.Total += len(tails) + len(heads)
	}
	for i, size := range fairSizes(sizes, r.Limit) {
		for _, other := range others[i][:size] {
			head, tail := id, other
			if i%2 == 1 {
				head, tail = other, id
			}
			out.Facts = append(out.Facts, triple{l.Entities[head], l.Relations[i/2], l.Entities[tail]})
		}
	}
	return out, nil
}

// fairSizes returns how many facts of groups of some sizes to list: all of small groups, and equally
// many of the others, as far as the limit goes.
func fairSizes(sizes []int, limit int) []int {
	ascending := make([]int, len(sizes))
	for i := range sizes {
		ascending[i] = i
	}
	slices.SortStableFunc(ascending, func(a, b int) int { return sizes[a] - sizes[b] })
	listed := make([]int, len(sizes))
	for done, i := range ascending {
		listed[i] = min(sizes[i], limit/(len(sizes)-done))
		limit -= listed[i]
	}
	return listed
}

type neighborsRequest struct {
	EntityChoice
	Top int `query:"top" default:"10" minimum:"1" maximum:"1000" doc:"Number of neighbors."`
}

// neighbors are the entities with the most similar embeddings.
type neighbors struct {
	EntityName
	Neighbors []completion.Neighbor `json:"neighbors" nullable:"false" doc:"The neighbors, best first."`
}

func (l *loaded) neighbors(r neighborsRequest) (out neighbors, err error) {
	if len(l.Members) == 0 {
		return out, l.lacking("has no embeddings to compare")
	}
	found, err := completion.Neighbors(l.Members, r.Entity, r.Top)
	if err != nil {
		return out, huma.Error404NotFound(err.Error())
	}
	return neighbors{l.entityName(r.Entity), append([]completion.Neighbor{}, found...)}, nil
}
