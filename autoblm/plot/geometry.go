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

func center(r vg.Rectangle) vg.Point {
	return vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
}

// around returns the rectangle of a size around a center.
func around(center vg.Point, width, height vg.Length) vg.Rectangle {
	half := vg.Point{X: width / 2, Y: height / 2}
	return vg.Rectangle{Min: center.Sub(half), Max: center.Add(half)}
}
