// Package report writes the results of a search as one self-contained HTML page. It shows the
// structures found next to the baselines, the progress of the search, predicted and measured
// scores, all metrics of the task, and how to repeat the search. The parts that depend on the task
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
// The page shows what is in the study. It leaves out what is missing, or says so in a sentence.
// Equal data give equal bytes.
package report
