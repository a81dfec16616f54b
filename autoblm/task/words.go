package task

// Words are how the results of a task are told.
type Words struct {
	// Metric is what decides, as "MRR".
	Metric string
}
