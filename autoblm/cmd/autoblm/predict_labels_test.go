package main

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestLabelsAreSharedInMemory checks that models with the labels of a graph use its memory, and that
// others keep their own.
func TestLabelsAreSharedInMemory(t *testing.T) {
	g := datasets.World()
	same := &kge.Model{EntityLabels: slices.Clone(g.Entities), RelationLabels: slices.Clone(g.Relations)}
	other := &kge.Model{EntityLabels: []string{"a"}, RelationLabels: slices.Clone(g.Relations)}
	shareLabels([]*kge.Model{same, other}, g)
	shareLabels([]*kge.Model{other}, nil)
	if unsafe.SliceData(same.EntityLabels) != unsafe.SliceData(g.Entities) {
		t.Error("equal labels are in memory twice")
	}
	if !slices.Equal(other.EntityLabels, []string{"a"}) {
		t.Errorf("other labels became %q", other.EntityLabels)
	}
}
