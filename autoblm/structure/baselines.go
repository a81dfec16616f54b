package structure

import (
	"slices"
	"strings"
	"sync"
)

// Baseline is a published scoring function.
type Baseline struct {
	Name      string // what [Parse] reads, such as "distmult"
	Title     string // what papers print, such as "DistMult"
	Structure Structure
}

// published returns all baselines, with the least number of chunks in which they can be written.
func published() []Baseline {
	return []Baseline{
		{"distmult", "DistMult", MustParse("1")},
		{"simple", "SimplE", MustParse("0,1;2,0")},
		{"complex", "ComplEx", MustParse("1,2;-2,1")},
		{"analogy", "Analogy", MustParse("1,0,0,0;0,2,0,0;0,0,3,4;0,0,-4,3")},
		{"quate", "QuatE", MustParse("1,-2,-3,-4;2,1,4,-3;3,-4,1,2;4,3,-2,1")},
		{"bique", "BiQUE", MustParse("1,2,3,4,5,6,7,8;-2,1,-4,3,-6,5,-8,7;" +
			"-3,-4,1,2,-7,-8,5,6;4,-3,-2,1,8,-7,-6,5;-5,-6,7,8,1,2,-3,-4;" +
			"6,-5,-8,7,-2,1,4,-3;-7,-8,-5,-6,3,4,1,2;8,-7,6,-5,-4,3,-2,1")},
	}
}

// Baselines returns the block-bilinear models of the paper's Table of scoring functions, with four
// chunks. QuatE has the form ⟨h⊗conj(r), t⟩.
func Baselines() []Baseline { return BaselinesWith(usualK) }

// BaselinesWith returns the published block-bilinear models that can be written with k chunks. With
// eight there is also BiQUE, the product of biquaternions (Guo and Kok, 2021), without its
// translation of the head.
func BaselinesWith(k int) (all []Baseline) {
	for _, b := range published() {
		if own := b.Structure.K(); k >= own && k%own == 0 {
			b.Structure = b.Structure.Split(k / own)
			all = append(all, b)
		}
	}
	return all
}

// Split returns the same scoring function with every chunk cut into a number of parts. It panics
// unless there is a part and the result has at most [MaxK] chunks.
func (s Structure) Split(parts int) Structure {
	finer := Zero(s.K() * parts)
	for i := range s.K() {
		for j := range s.K() {
			value := s.At(i, j)
			for part := range parts {
				chunk := (abs(value)-1)*parts + part + 1
				finer = finer.With(i*parts+part, j*parts+part, sign(value)*chunk)
			}
		}
	}
	return finer
}

// named returns the structure of a baseline under its name: with four chunks, unless it needs more.
func (b Baseline) named() Structure {
	return b.Structure.Split(max(1, usualK/b.Structure.K()))
}

// usualK is the number of chunks in the paper.
const usualK = 4

// Name returns the name of the baseline with the same number of chunks that is equivalent to s under
// the full group, or "".
func (s Structure) Name() string { return nameByClass()[s.Canonical(Full)] }

// Title returns the title of the baseline that equals s cell for cell, or else the text form
// of s.
func (s Structure) Title() string {
	for _, model := range BaselinesWith(s.K()) {
		if model.Structure == s {
			return model.Title
		}
	}
	return s.String()
}

// IsBaseline reports whether s is a baseline cell for cell.
func (s Structure) IsBaseline() bool {
	return slices.ContainsFunc(BaselinesWith(s.K()), func(b Baseline) bool { return b.Structure == s })
}

// TitleOf returns the title of the baseline with a name, or else the name.
func TitleOf(name string) string {
	for _, model := range published() {
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
	for k := 1; k <= MaxK; k++ {
		for _, model := range BaselinesWith(k) {
			names[model.Structure.Canonical(Full)] = model.Name
		}
	}
	return names
})

func byName(name string) (Structure, bool) {
	name = strings.ToLower(name)
	if original, isAlias := aliases[name]; isAlias {
		name = original
	}
	for _, model := range published() {
		if model.Name == name {
			return model.named(), true
		}
	}
	return Structure{}, false
}

// knownNames returns the names and aliases that Parse accepts.
func knownNames() []string {
	var names []string
	for _, model := range published() {
		names = append(names, model.Name)
		for alias, original := range aliases {
			if original == model.Name {
				names = append(names, alias)
			}
		}
	}
	return names
}
