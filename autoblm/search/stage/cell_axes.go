package stage

import "github.com/autoblm/autoblm-go/autoblm/kge/form"

// cells returns an axis for each part of a cell of Interstellar: its functions, inputs and
// activations, and which of its matrices are not the identity.
func (s recipeSpace) cells(base choice) (axes []axis) {
	if _, has := base.form.Cell(); !has || !s.Cells {
		return nil
	}
	for i, size := range form.CellParts() {
		part := form.CellPart(i)
		axes = append(axes, axis{
			size: size,
			index: func(c choice) int {
				cell, _ := c.form.Cell()
				return cell.Part(part)
			},
			set: func(c *choice, index int) {
				cell, _ := c.form.Cell()
				c.form = cell.WithPart(part, index).Form()
			},
			unordered: true,
			applies: func(c choice) bool {
				cell, _ := c.form.Cell()
				return cell.Uses(part)
			},
		})
	}
	return axes
}
