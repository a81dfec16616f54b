package server

import "context"

// mapPlaces is the number of entities of a map. More would make the page slow.
const mapPlaces = 1500

// entityMap has entities on a plane.
type entityMap struct {
	Model  string  `json:"model"`
	Note   string  `json:"note" doc:"What the plane is."`
	Places []place `json:"places" nullable:"false"`
}

type place struct {
	Entity string  `json:"entity"`
	Group  string  `json:"group" doc:"End of a relation at which it is most often, or empty."`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// entityMap returns the map of a model, which the first request computes.
func (s *Server) entityMap(_ context.Context, in *ModelQuery) (out entityMap, err error) {
	l, err := s.use(in.Model)
	if err != nil {
		return out, err
	}
	defer l.release()
	if len(l.Members) == 0 {
		return out, l.lacking("has no embeddings to place")
	}
	m := l.places()
	out = entityMap{Model: l.name, Note: m.Note, Places: []place{}}
	for _, p := range m.Places {
		out.Places = append(out.Places, place{p.Name, p.Group, p.X, p.Y})
	}
	return out, nil
}
