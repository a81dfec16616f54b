// Package plot makes pictures as PNG and SVG: structures drawn as in the
// paper's figure of R_(r), curves of a search or a training, and scatter plots.
//
// Every picture is a [Picture], which can be written to a file in the format of its extension, or
// returned as bytes for a notebook or a report:
//
//	plot.Structure(structure.MustParse("complex"), "ComplEx").Save("complex.svg")
//	plot.Curve{X: "epoch", Y: "loss", Series: series}.Picture().PNG()
//
// Both formats show the same drawing, on white, in sizes for print. Equal input gives equal bytes.
// Color-blind people can tell the colors of relation chunks apart, and labels and borders say the
// same as the colors.
package plot
