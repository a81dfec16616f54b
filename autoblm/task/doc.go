// Package task defines what a search optimizes. A [Task] trains trials on its data and scores
// them; package search knows nothing else about it. Knowledge-graph completion, multi-hop
// queries and entity classification are tasks, each in its own package. Package tasks
// registers them. A [Presentation] describes the results of a task to readers.
package task
