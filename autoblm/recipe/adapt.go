package recipe

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Adapt returns a recipe, made for any model, with what a form needs: a dimension that its models and
// some structures divide, rounded up, and the random walks of RSN, which learns nothing else. A form
// that reads no paths has no walks.
func Adapt(r kge.Recipe, f form.Form, structures ...structure.Structure) kge.Recipe {
	r.Training.Dim = f.RoundDim(r.Training.Dim, structures...)
	switch walks := &r.Training.WalkHops; {
	case !f.Recurrent():
		*walks = 0
	case f == form.RSN && *walks == 0:
		*walks = rsnHops
	}
	return r
}
