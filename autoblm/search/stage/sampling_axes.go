package stage

import "cmp"

// sampling returns the axes of negative sampling. A recipe that changes from log-loss to negatives
// gets a medium margin and temperature, which their axes may change. One without an axis is kept.
func (s recipeSpace) sampling(base choice) []axis {
	with := base
	s.setSampling(&with, max(1, base.Training.Negatives))
	has := func(r choice) bool { return r.Training.Negatives > 0 }
	if len(s.Negatives) == 0 && !has(base) {
		return nil
	}
	axes := newAxis(s.Negatives, cmp.Compare, base,
		func(r *choice) *int { return &r.Training.Negatives })
	for i := range axes {
		set, index := axes[i].set, axes[i].index
		axes[i].set = func(r *choice, i int) {
			changed := *r
			set(&changed, i)
			if index(*r) != i {
				s.setSampling(r, changed.Training.Negatives)
			}
		}
	}
	return append(axes, when(has,
		newAxis(s.Margins, cmp.Compare, with, func(r *choice) *float64 { return &r.Training.Margin }),
		newAxis(s.Temperatures, cmp.Compare, with,
			func(r *choice) *float64 { return &r.Training.AdversarialTemperature }),
		newAxis(s.Subsampling, withoutOrder, with,
			func(r *choice) *bool { return &r.Training.Subsampling }),
	)...)
}

// setSampling changes the number of negatives of a recipe. With 0 it has none of their other settings.
func (s recipeSpace) setSampling(r *choice, negatives int) {
	t := &r.Training
	switch {
	case negatives == 0:
		t.Margin, t.AdversarialTemperature, t.Subsampling = 0, 0, false
	case t.Negatives == 0:
		if len(s.Margins) > 0 {
			t.Margin = medium(s.Margins)
		}
		if len(s.Temperatures) > 0 {
			t.AdversarialTemperature = medium(s.Temperatures)
		}
	}
	t.Negatives = negatives
}
