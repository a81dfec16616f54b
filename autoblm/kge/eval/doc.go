// Package eval has ranks, the metrics that summarize them, lists of ranked answers, and
// limits on how much is ranked.
package eval
