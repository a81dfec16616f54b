package show

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/plot"
)

// Curve shows a chart of series.
func Curve(c plot.Curve) { Picture(c.Picture()) }

// Scatter shows a chart of dots.
func Scatter(s plot.Scatter) { Picture(s.Picture()) }

// LearningCurve returns the validation MRR by epoch as a series of a chart.
func LearningCurve(name string, validations []kge.Validation) plot.Series {
	s := plot.Series{Name: name}
	for _, v := range validations {
		s.Points = append(s.Points, plot.Point{X: float64(v.Epoch), Y: v.MRR})
	}
	return s
}
