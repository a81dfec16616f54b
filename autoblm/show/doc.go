// Package show displays values of the library in the cells of a notebook with the kernel GoNB:
//
//	g := show.Must(autoblm.Load("world"))
//	found := show.Must(show.Search(ctx, g, autoblm.DefaultSearch()))
//	show.Structure(found.Best[0].Structure, "the best one")
//
// [Study], [Predictions] and [Ensemble] show results, [Table], [Markdown], [Curve] and [Scatter]
// anything else. [ReadStored] reads the measured results of notebooks/results.
//
// Pictures are PNG and texts are Markdown, which Jupyter also shows in untrusted notebooks. Outside
// a notebook, everything is text on standard output, so the same lines run as a program.
//
// Functions return after Jupyter has received the output. An error ends the cell with its message;
// see [Check].
package show
