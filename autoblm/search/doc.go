// Package search searches for the structure that optimizes a [task.Task], such as the completion
// of a knowledge graph (paper, Section IV). An executor, [Run], runs stages against a [Store]. A
// [Stage] proposes trials from the trials so far, and says when it is done; package stage has the
// stages. The task trains and scores the trials.
//
// Neither stages nor strategies have state of their own. An interrupted search therefore resumes
// from its stored trials exactly as if it had not been interrupted.
package search
