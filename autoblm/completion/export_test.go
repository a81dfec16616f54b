package completion

// Unexported functions under test.
var (
	Choose           = choose
	SelectionTriples = selectionTriples
)

// MaxScoreBytes limits the memory for scores.
var MaxScoreBytes = &maxScoreBytes
