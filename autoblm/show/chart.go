package show

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/report"
)

//go:embed chart.js
var chartScript string

var styles = map[plot.Style]report.Style{
	plot.Line: report.Line, plot.Steps: report.Steps, plot.Dots: report.Dots,
}

// Curve shows a chart of series. In a notebook that a person runs, it shows values when hovered.
func Curve(c plot.Curve) {
	chart := report.Chart{Label: c.Title, X: c.X, Y: c.Y}
	var xs []float64
	for _, s := range c.Series {
		series := report.Series{Name: s.Name, Style: styles[s.Style], Points: points(s.Points)}
		for i, p := range s.Points {
			xs = append(xs, p.X)
			if i < len(s.Band) {
				series.Points[i].Label = fmt.Sprintf("%.3f to %.3f", s.Band[i].Low, s.Band[i].High)
			}
		}
		chart.Series = append(chart.Series, series)
	}
	levels := c.Levels
	if len(xs) == 0 { // they have no ends
		levels = nil
	}
	for _, level := range levels {
		ends := []plot.Point{{X: slices.Min(xs), Y: level.Y}, {X: slices.Max(xs), Y: level.Y}}
		chart.Series = append(chart.Series, report.Series{
			Name: level.Name, Style: report.Level, Points: points(ends),
		})
	}
	showChart(c.Picture(), chart)
}

// Scatter shows a chart of dots, like [Curve].
func Scatter(s plot.Scatter) {
	chart := report.Chart{Label: s.Title, X: s.X, Y: s.Y}
	for _, cloud := range s.Clouds {
		chart.Series = append(chart.Series, report.Series{
			Name: cloud.Name, Style: report.Dots, Points: points(cloud.Points),
		})
	}
	showChart(s.Picture(), chart)
}

// LearningCurve returns the validation MRR by epoch as a series of a chart.
func LearningCurve(name string, validations []kge.Validation) plot.Series {
	s := plot.Series{Name: name}
	for _, v := range validations {
		s.Points = append(s.Points, plot.Point{X: float64(v.Epoch), Y: v.MRR})
	}
	return s
}

func points(all []plot.Point) (points []report.Point) {
	for _, p := range all {
		points = append(points, report.Point{X: p.X, Y: p.Y})
	}
	return points
}

// showChart shows a picture, and in a notebook that a person runs the chart in its place. Stored
// outputs have only the picture, because GitHub removes scripts.
func showChart(p plot.Picture, chart report.Chart) {
	v := pictureValue(p, "[picture: "+chart.Label+"]\n")
	if here.interactive && len(chart.Series) > 0 {
		html, err := chartHTML(v, chart)
		here.check(err)
		v.html = html
	}
	here.show(v)
}

// chartHTML returns the picture of a value, and a script that replaces it by the chart. A notebook
// that is not trusted drops the script and shows the picture.
func chartHTML(v value, chart report.Chart) (string, error) {
	spec, err := json.Marshal(chart) // escapes <, > and &
	if err != nil {
		return "", fmt.Errorf("show a chart: %w", err)
	}
	var html strings.Builder
	id := uniqueID()
	fmt.Fprintf(&html, `<img id="%s" width="%d" alt="" src="data:image/png;base64,%s">`,
		id, v.width, base64.StdEncoding.EncodeToString(v.png))
	// Without parameters of these names, the library would use the loader of the notebook.
	fmt.Fprintf(&html, "<script>(function(exports, module, define) {%s}).call(globalThis);",
		report.ChartLibrary())
	fmt.Fprintf(&html, "(function() {%s drawChart(%q, %s)})();</script>", chartScript, id, spec)
	return html.String(), nil
}
