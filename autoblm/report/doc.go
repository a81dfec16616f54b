// Package report writes what came of a search as one HTML page that needs
// neither a network nor a program: the structures found beside the
// human-designed ones, the course of the search, predicted against measured MRR,
// metrics by side, relation and relation pattern, and how to run it again. A page on
// queries or on classes speaks of their metrics, and leaves out what only triples
// have; see [Data.MeasureQueries] and [Data.MeasureClasses].
//
//	contents, err := study.Read("study.db")
//	data := report.Data{Contents: *contents}
//	err = data.Measure(ctx, engine, graph)
//	err = report.Write(file, data)
//
// The page shows what is in the study and invents nothing: what is missing is
// left out, with a sentence where a reader would look for it. The same data give
// the same bytes.
package report
