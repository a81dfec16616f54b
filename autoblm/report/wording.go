package report

import (
	"unicode"
	"unicode/utf8"
)

// The names of the tasks in a study; that of completion is "".
const (
	queries = "query"
	classes = "classify"
)

// wording is what a page calls things, by what structures were searched for.
type wording struct {
	metric string // what decides
	// valid and test are the metric of either split within a sentence.
	valid, test string
	onValid     string // where a structure is ahead
	// validColumn and testColumn are heads of columns, and validTag stands before a
	// number.
	validColumn, testColumn, validTag string
	// validThing and testThing are what the metric is a mean over, one and many.
	validThing, testThing [2]string
	begin                 string // what a seed decides
}

func wordingOf(task string) wording {
	switch task {
	case classes:
		return wording{
			metric: "accuracy", valid: "cross-validated accuracy", test: "test accuracy", onValid: "in cross-validation",
			validColumn: "CV accuracy", testColumn: "test accuracy", validTag: "CV",
			validThing: [2]string{"node held out", "nodes held out"}, testThing: [2]string{"test node", "test nodes"}, begin: "initial parameters",
		}
	case queries:
		w := wordingOf("")
		w.validThing, w.testThing = [2]string{"validation query", "validation queries"}, [2]string{"test query", "test queries"}
		return w
	}
	return wording{
		metric: "MRR", valid: "validation MRR", test: "test MRR", onValid: "on validation",
		validColumn: "valid MRR", testColumn: "test MRR", validTag: "valid",
		validThing: [2]string{"validation triple", "validation triples"}, testThing: [2]string{"test triple", "test triples"}, begin: "initial embeddings",
	}
}

// capital is a text that begins a sentence.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
