package server

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/danielgtaylor/huma/v2"
)

// ModelQuery names a model in the address.
type ModelQuery struct {
	Model string `query:"model" doc:"Name of the model; the first if it is missing."`
}

// models is the list of models.
type models struct {
	Models []modelInfo `json:"models" nullable:"false"`
}

// modelInfo describes a model.
type modelInfo struct {
	Name      string    `json:"name"`
	Loaded    time.Time `json:"loaded"`
	Dataset   string    `json:"dataset,omitempty" doc:"Name of the training data."`
	Entities  int       `json:"entities"`
	Relations int       `json:"relations"`
	Members   []member  `json:"members" nullable:"false" doc:"The model, or the members of an ensemble."`
	// What it can do.
	Predicts   bool `json:"predicts"`
	Facts      bool `json:"facts" doc:"Whether known facts are listed."`
	Paths      bool `json:"paths"`
	Classifies bool `json:"classifies"`
}

// member is one model.
type member struct {
	Form      string  `json:"form"`
	Dim       int     `json:"dim"`
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
				about.Title = m.Structure.Title()
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
	Model     string   `json:"model"`
	Relations []string `json:"relations" nullable:"false"`
}

func (s *Server) relations(_ context.Context, in *ModelQuery) (out relations, err error) {
	l, err := s.use(in.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	return relations{l.name, append([]string{}, l.Relations...)}, nil
}

type entitiesRequest struct {
	ModelQuery
	Text  string `query:"q" doc:"Part of the label, in any case and without accents."`
	Limit int    `query:"limit" default:"10" minimum:"1" maximum:"1000"`
}

// entities is the result of a search.
type entities struct {
	Model    string   `json:"model"`
	Entities []string `json:"entities" nullable:"false"`
	Total    int      `json:"total" doc:"Number of entities with that part."`
}

func (s *Server) entities(_ context.Context, in *entitiesRequest) (out entities, err error) {
	l, err := s.use(in.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	found, total := l.index.search(in.Text, in.Limit)
	return entities{l.name, append([]string{}, found...), total}, nil
}

type factsRequest struct {
	ModelQuery
	Entity string `query:"entity" required:"true"`
	Limit  int    `query:"limit" default:"100" minimum:"1" maximum:"100000"`
}

// facts are the known facts of an entity.
type facts struct {
	Model  string   `json:"model"`
	Entity string   `json:"entity"`
	Facts  []triple `json:"facts" nullable:"false"`
	Total  int      `json:"total" doc:"Number of facts, which may be more than the limit."`
}

func (s *Server) facts(_ context.Context, in *factsRequest) (out facts, err error) {
	l, err := s.use(in.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if l.Graph == nil {
		return out, l.lacking("is served without its data: start the server with --dataset")
	}
	id, found := l.Answerer.EntityID(in.Entity)
	if !found {
		return out, huma.Error404NotFound("no entity " + in.Entity + ": search with /v1/entities")
	}
	out = facts{Model: l.name, Entity: in.Entity, Facts: []triple{}}
	known := l.Graph.Known()
	add := func(head, tail int32, relation string) {
		if out.Total++; out.Total <= in.Limit {
			out.Facts = append(out.Facts, triple{l.Entities[head], relation, l.Entities[tail]})
		}
	}
	for r, relation := range l.Relations {
		for _, tail := range known.Tails(id, int32(r)) {
			add(id, tail, relation)
		}
		for _, head := range known.Heads(int32(r), id) {
			if head != id { // a loop is a fact of its head
				add(head, id, relation)
			}
		}
	}
	return out, nil
}

type neighborsRequest struct {
	ModelQuery
	Entity string `query:"entity" required:"true"`
	Top    int    `query:"top" default:"10" minimum:"1" maximum:"1000"`
}

// neighbors are the entities with the most similar embeddings.
type neighbors struct {
	Model     string                `json:"model"`
	Entity    string                `json:"entity"`
	Neighbors []completion.Neighbor `json:"neighbors" nullable:"false"`
}

func (s *Server) neighbors(_ context.Context, in *neighborsRequest) (out neighbors, err error) {
	l, err := s.use(in.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if len(l.Members) == 0 {
		return out, l.lacking("has no embeddings to compare")
	}
	found, err := completion.Neighbors(l.Members, in.Entity, in.Top)
	if err != nil {
		return out, huma.Error404NotFound(err.Error())
	}
	return neighbors{l.name, in.Entity, append([]completion.Neighbor{}, found...)}, nil
}
