package plot

// Scatter is a chart of dots, such as predicted against measured MRR.
type Scatter struct {
	Title string
	X, Y  string // labels of the axes, with units

	Clouds []Cloud

	// Identity draws the line y = x and gives both axes the same range.
	Identity bool
}

// Cloud holds dots of one color and shape.
type Cloud struct {
	Name   string // in the legend; an empty name is not listed
	Points []Point
}

// scatterSide is the side of the square between the axes in points.
const scatterSide = 230

// Picture draws the chart with a legend above it. It leaves out points that are not finite. A
// chart without any shows empty axes.
func (s Scatter) Picture() Picture {
	h := newChart(s.Title, s.X, s.Y, scatterSide, scatterSide)
	var xs, ys []float64
	for _, cloud := range s.Clouds {
		for _, p := range xys(cloud.Points) {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	if s.Identity {
		xs = append(xs, ys...)
		ys = xs
	}
	setRange(&h.X, xs)
	setRange(&h.Y, ys)
	if s.Identity {
		ends := []Point{{h.X.Min, h.X.Min}, {h.X.Max, h.X.Max}}
		h.Add(line(ends, pen{color: grey, dashes: levelDashes}, levelStroke))
	}
	for n, cloud := range s.Clouds {
		h.addSeries(Series{Name: cloud.Name, Style: Dots, Points: cloud.Points}, newPen(n))
	}
	h.X.Tick.Marker, h.Y.Tick.Marker = ticker{6, false}, ticker{6, false}
	return h.picture()
}
