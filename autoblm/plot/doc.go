// Package plot makes pictures as PNG and SVG: structures drawn as in the
// paper's figure of R_(r), curves of a search or a training, and scatter plots.
//
// Every picture is a [Picture], which is written to a file by its extension or
// handed over as bytes for a notebook or a report:
//
//	plot.Structure(structure.MustParse("complex"), "ComplEx").Save("complex.svg")
//	plot.Curve{X: "epoch", Y: "loss", Series: series}.Picture().PNG()
//
// The same drawing serves both formats, on white, in sizes for print, and gives
// the same bytes for the same input. Color-blind people can tell the colors of
// relation chunks apart, and labels and borders say the same as the colors.
package plot
