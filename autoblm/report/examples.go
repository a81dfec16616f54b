package report

// predictions shows answers of the kept model.
func (a *analysis) predictions() []Part { return nil }

// entities shows the embeddings of the kept model on a plane.
func (a *analysis) entities() []Part { return nil }
