// Package page has what a task tells of a study beside its trials: paragraphs and
// tables, which package report lays out. A table is made of rows of anything and of
// columns that each have a title and a function:
//
//	page.NewTable("The queries", splits,
//		page.Text("split", func(s split) any { return s.name }),
//		page.Number("queries", func(s split) any { return s.queries }))
package page
