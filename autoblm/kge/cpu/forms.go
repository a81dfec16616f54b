package cpu

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// arithmetic implements a form in float32 with gradients. Each form_*.go file registers one.
type arithmetic struct {
	// newHop returns the effect of relations on states. A form with a structure has K chunks of
	// dim/K numbers.
	newHop func(k *kernel.Set, a structure.Structure, dim int) hop
	// newMeasure returns the scoring of entities by the last state, the query.
	newMeasure func(dim int) tiles.Measure
}

// hop applies relations to the states of n paths. A path has one or more rows in each table;
// paths of one call have the same rows of a [form.Table] that is shared.
type hop interface {
	// Step adds the states after the hop to rows of zeros, to. transposed walks the relation
	// from tail to head.
	Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool)
	// Back adds the gradients with respect to the states before the hop and to the
	// relations, given the gradient with respect to the states after it.
	Back(gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int,
		transposed bool)
}

// relationAsker is a [hop] of a form with relation prediction.
type relationAsker interface {
	// AskRelations adds the queries for the relation of heads and tails to rows of zeros: each is
	// the vector v with score ⟨v, r⟩ for every relation r.
	AskRelations(to, heads, tails kernel.Table, n int)
	// AskRelationsBack propagates the gradient of the queries to heads and tails.
	AskRelationsBack(gradient, heads, tails, gradHeads, gradTails kernel.Table, n int)
}

// hopGradients are the tables to which a hop adds gradients.
type hopGradients struct {
	from      kernel.Table
	relations []kernel.Table
}

// arithmetics holds the implemented forms, but those with cores.
var arithmetics = map[form.Form]arithmetic{}

// register adds the implementation of a form.
func register(f form.Form, a arithmetic) struct{} {
	arithmetics[f] = a
	return struct{}{}
}

// arithmeticOf returns the implementation of a form.
func arithmeticOf(f form.Form) (a arithmetic, found bool) {
	if f.Partitions() > 0 {
		return coreArithmetic(f), true
	}
	if n, ok := f.Neural(); ok {
		return neuralArithmetic(n), true
	}
	if size := f.BlockSize(); size > 0 {
		return blockArithmetic(size), true
	}
	a, found = arithmetics[f]
	return a, found
}

// checkForm returns an error if the engine does not implement a form.
func checkForm(f form.Form) error {
	if _, found := arithmeticOf(f); !found {
		return fmt.Errorf("engine cpu does not implement the model %v: use another engine", f)
	}
	return nil
}

// negateIf returns -1 for the transpose of a relation and 1 otherwise.
func negateIf(transposed bool) float32 {
	if transposed {
		return -1
	}
	return 1
}
