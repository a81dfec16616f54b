package plot

import "gonum.org/v1/plot/vg"

func strokeLine(c vg.Canvas, points ...vg.Point) {
	if len(points) == 0 {
		return
	}
	var path vg.Path
	path.Move(points[0])
	for _, point := range points[1:] {
		path.Line(point)
	}
	c.Stroke(path)
}

func centre(r vg.Rectangle) vg.Point {
	return vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
}

// around is the rectangle of a size with a centre.
func around(centre vg.Point, width, height vg.Length) vg.Rectangle {
	half := vg.Point{X: width / 2, Y: height / 2}
	return vg.Rectangle{Min: centre.Sub(half), Max: centre.Add(half)}
}
