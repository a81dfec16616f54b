// Package budget plans a search with a time limit. A plan is a pure function of the settings, the
// measured paces of trainings and the time that has passed.
package budget
