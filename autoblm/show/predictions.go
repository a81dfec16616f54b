package show

import "github.com/autoblm/autoblm-go/autoblm/kge/eval"

// Predictions shows the answers to a query, best first.
func Predictions(answers []eval.Answer) {
	var rows [][]string
	for _, a := range answers {
		rows = append(rows, Row(a.Rank, a.Entity, a.Score, a.Known))
	}
	Table([]string{"rank", "answer", "score", "in the graph"}, rows)
}
