// Package page describes what a task adds to the report of a study: paragraphs and tables, which
// package report lays out. A table has a row for each element of a slice, and columns that are a
// title with a function:
//
//	page.NewTable("The queries", splits,
//		page.Text("split", func(s split) any { return s.name }),
//		page.Number("queries", func(s split) any { return s.queries }))
package page
