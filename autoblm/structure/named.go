package structure

import (
	"strings"
	"sync"
)

// Baseline is a scoring function that people designed.
type Baseline struct {
	Name      string // what [Parse] reads, such as "distmult"
	Title     string // what papers print, such as "DistMult"
	Structure Structure
}

// Baselines lists the block-bilinear models designed by people, each with
// four chunks (the paper's Table of scoring functions). QuatE is as the
// paper prints it, ⟨h⊗conj(r), t⟩.
func Baselines() []Baseline {
	return []Baseline{
		{"distmult", "DistMult", MustParse("1,0,0,0;0,2,0,0;0,0,3,0;0,0,0,4")},
		{"simple", "SimplE", MustParse("0,0,1,0;0,0,0,2;3,0,0,0;0,4,0,0")},
		{"complex", "ComplEx", MustParse("1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2")},
		{"analogy", "Analogy", MustParse("1,0,0,0;0,2,0,0;0,0,3,4;0,0,-4,3")},
		{"quate", "QuatE", MustParse("1,-2,-3,-4;2,1,4,-3;3,-4,1,2;4,3,-2,1")},
	}
}

// Name is the name of the human-designed model that s is equivalent to under
// the full group, or "".
func (s Structure) Name() string { return nameByClass()[s.Canonical(Full)] }

// Title is that of the human-designed model that s is, cell for cell, or else its text form.
func (s Structure) Title() string {
	for _, model := range Baselines() {
		if model.Structure == s {
			return model.Title
		}
	}
	return s.String()
}

// Short is the shortest text that [Parse] makes s of: the name of a human-designed model, or
// else its rows.
func (s Structure) Short() string {
	for _, model := range Baselines() {
		if model.Structure == s {
			return model.Name
		}
	}
	return s.String()
}

// TitleOf is the title of the human-designed model of a name, or else the name.
func TitleOf(name string) string {
	for _, model := range Baselines() {
		if model.Name == name {
			return model.Title
		}
	}
	return name
}

// aliases are further names of the same scoring functions: CP with inverse
// relations is SimplE, HolE is ComplEx (paper, Section II).
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

// knownNames are the names and aliases that Parse reads.
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
