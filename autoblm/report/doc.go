// Package report writes the results of a search as one HTML page that needs no other file. The page
// compares the kept model with the baseline, and shows trials, structures, learning curves,
// predictions, metrics, settings, and how to repeat the search. The parts that depend on the task
// come from [task.Presentation] and [task.Task.Measure].
//
//	contents, err := study.Read("study.db")
//	data := report.Data{
//		Contents:     *contents,
//		Presentation: tasks.PresentationOf(contents.About.Identity),
//	}
//	err = data.Measure(ctx, task) // if the data are available
//	err = report.Write(file, data)
//
// [NewPage] returns what the page shows; page.js draws it, with the charts of Chart.js. The function
// render of that script draws newer data of the same study.
//
// The page shows what is in the study. It leaves out what is missing, or says so in a sentence.
// Equal data give equal bytes.
package report
