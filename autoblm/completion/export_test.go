package completion

// Choose is the choice by itself, and Deciding are the triples that it is made by.
var (
	Choose   = choose
	Deciding = deciding
)

// MostScores is how many bytes of scores there are at a time.
var MostScores = &mostScores
