package server

// mapPlaces is the number of entities of a map. More would make the page slow.
const mapPlaces = 1500

// entityMap has entities on a plane.
type entityMap struct {
	ModelName
	Note   string  `json:"note" doc:"What the plane is."`
	Places []place `json:"places" nullable:"false" doc:"The entities, or a sample of them."`
}

type place struct {
	Entity string  `json:"entity" doc:"Label of the entity."`
	Group  string  `json:"group" doc:"End of a relation at which it is most often, or empty."`
	X      float64 `json:"x" doc:"First coordinate."`
	Y      float64 `json:"y" doc:"Second coordinate."`
}

// entityMap returns the map of a model, which the first request computes.
func (l *loaded) entityMap(ModelChoice) (out entityMap, err error) {
	if len(l.Members) == 0 {
		return out, l.lacking("has no embeddings to place")
	}
	m := l.places()
	out = entityMap{ModelName: ModelName{l.name}, Note: m.Note, Places: []place{}}
	for _, p := range m.Places {
		out.Places = append(out.Places, place{p.Name, p.Group, p.X, p.Y})
	}
	return out, nil
}
