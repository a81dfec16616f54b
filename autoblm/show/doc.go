// Package show lets values of the library show themselves in the cells of a
// notebook that runs on the kernel GoNB:
//
//	g := show.Must(autoblm.Load("world"))
//	found := show.Must(show.Search(ctx, g, autoblm.DefaultSearch()))
//	show.Structure(found.Best[0].Structure, "the best one")
//
// Pictures are PNG and texts are Markdown, which Jupyter also shows in a notebook
// that it does not trust. Outside a notebook everything is text on standard
// output, so that the same lines run as a program.
//
// Calls return when Jupyter has what they show. What cannot be shown, such as a
// picture of nothing, ends the cell with the reason; see [Check].
package show
