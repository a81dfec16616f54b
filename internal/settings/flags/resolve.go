package flags

import (
	"cmp"

	"github.com/alecthomas/kong"
)

// Resolve computes the settings of a command from layers, such as defaults, a recipe and what
// suits the graph. Each layer changes fields of the command that line was parsed into, and a
// later layer overrides an earlier one. Resolve applies the given flags again after each layer,
// so a layer sees their values and cannot change them. A flag of the command line that then has no
// effect, by the tags needs and with, is an error.
func Resolve(line *kong.Context, layers ...func()) error {
	for _, layer := range layers {
		layer()
		if _, err := line.Apply(); err != nil {
			return err
		}
	}
	unmet := checkCompanions(line)
	return cmp.Or(settleCompanions(line), unmet)
}
