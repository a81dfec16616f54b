package form

import (
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// AnyCell stands for Interstellar with a cell that a search chooses. No model has this form.
var AnyCell = Form{anyCell{interstellar{noStructure{"interstellar"}, CellWN18RR}}}

func init() { aliases[AnyCell.String()] = AnyCell }

// anyCell has the tables and capabilities that Interstellar has with most cells.
type anyCell struct{ interstellar }

func (anyCell) Structure(structure.Structure) (structure.Structure, error) {
	return structure.Structure{}, errors.New("interstellar has no cell: " +
		"name one, such as interstellar-wn18rr, or search for one")
}
