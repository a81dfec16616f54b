package completion

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// SearchPurpose names what a search for completion optimizes.
const SearchPurpose = "completion of the graph"

// OpenTask opens the graph of a source. It calls warn with warnings. open opens the engine.
func OpenTask(source string, open func() (kge.Engine, error), warn func([]string)) (*Task, error) {
	g, err := datasets.Open(source)
	if err != nil {
		return nil, err
	}
	warn(g.Warnings("valid", "test"))
	engine, err := open()
	if err != nil {
		return nil, err
	}
	return &Task{Graph: g, Engine: engine}, nil
}
