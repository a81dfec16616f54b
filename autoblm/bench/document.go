package main

import "github.com/autoblm/autoblm-go/internal/measured"

// document is a result file, as the others in notebooks/results.
type document = measured.Document[result]

// result is what was measured.
type result struct {
	Threads    int        `json:"threads"`
	Engine     string     `json:"engine"`
	Backend    string     `json:"backend"`
	Cases      []timing   `json:"cases,omitempty"`
	Precisions []compared `json:"precisions,omitempty"`
	Searches   []searched `json:"searches,omitempty"`
	// LeftOut are the cases that were not measured, and why.
	LeftOut []string `json:"left_out,omitempty"`
	// Notes are what the engine had to say.
	Notes []string `json:"notes,omitempty"`
}
