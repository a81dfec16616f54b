// Package report writes what came of a search as one HTML page that needs
// neither a network nor a program: the structures found beside the
// human-designed ones, the progress of the search, predicted against measured scores,
// metrics in all that the task has, and how to run it again. What differs between tasks
// comes from their [task.Presentation], and from what a [task.Task] tells with its data.
//
//	contents, err := study.Read("study.db")
//	words, err := autoblm.PresentationOf(contents.About.Identity)
//	data := report.Data{Contents: *contents, Words: words}
//	err = data.Measure(ctx, task) // where the data are at hand
//	err = report.Write(file, data)
//
// The page shows what is in the study and invents nothing: what is missing is
// left out, with a sentence where a reader would look for it. The same data give
// the same bytes.
package report
