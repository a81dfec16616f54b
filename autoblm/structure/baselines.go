package structure

import (
	"strings"
	"sync"
)

// Baseline is a published scoring function.
type Baseline struct {
	Name      string // what [Parse] reads, such as "distmult"
	Title     string // what papers print, such as "DistMult"
	Structure Structure
}

// Baselines returns the published block-bilinear models (the paper's Table of scoring
// functions), each with four chunks. QuatE has the paper's form ⟨h⊗conj(r), t⟩.
func Baselines() []Baseline {
	return []Baseline{
		{"distmult", "DistMult", MustParse("1,0,0,0;0,2,0,0;0,0,3,0;0,0,0,4")},
		{"simple", "SimplE", MustParse("0,0,1,0;0,0,0,2;3,0,0,0;0,4,0,0")},
		{"complex", "ComplEx", MustParse("1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2")},
		{"analogy", "Analogy", MustParse("1,0,0,0;0,2,0,0;0,0,3,4;0,0,-4,3")},
		{"quate", "QuatE", MustParse("1,-2,-3,-4;2,1,4,-3;3,-4,1,2;4,3,-2,1")},
	}
}

// Name returns the name of the baseline that is equivalent to s under the full group, or "".
func (s Structure) Name() string { return nameByClass()[s.Canonical(Full)] }

// Title returns the title of the baseline that equals s cell for cell, or else the text form
// of s.
func (s Structure) Title() string {
	for _, model := range Baselines() {
		if model.Structure == s {
			return model.Title
		}
	}
	return s.String()
}

// TitleOf returns the title of the baseline with a name, or else the name.
func TitleOf(name string) string {
	for _, model := range Baselines() {
		if model.Name == name {
			return model.Title
		}
	}
	return name
}

// aliases maps further names to baselines: CP with inverse relations is SimplE, HolE is
// ComplEx (paper, Section II).
var aliases = map[string]string{"cp": "simple", "hole": "complex"}

var nameByClass = sync.OnceValue(func() map[Structure]string {
	names := make(map[Structure]string)
	for _, model := range Baselines() {
		names[model.Structure.Canonical(Full)] = model.Name
	}
	return names
})

func byName(name string) (Structure, bool) {
	name = strings.ToLower(name)
	if original, isAlias := aliases[name]; isAlias {
		name = original
	}
	for _, model := range Baselines() {
		if model.Name == name {
			return model.Structure, true
		}
	}
	return Structure{}, false
}

// knownNames returns the names and aliases that Parse accepts.
func knownNames() []string {
	var names []string
	for _, model := range Baselines() {
		names = append(names, model.Name)
		for alias, original := range aliases {
			if original == model.Name {
				names = append(names, alias)
			}
		}
	}
	return names
}
