// Package query answers multi-hop chain queries: which entities are at the end
// of a path of relations that starts at a given entity, also where edges of the
// path are missing from the graph (paper, Sections II-B2 and V-B).
//
// [Data] holds the queries of a graph: those that others released, read by
// [Open], or those that [Data.Sample] draws from any graph. [Data.Training] is what
// [kge.Train] trains models on, [Evaluate] ranks the hard answers, and [Predict] lists
// the best answers to a path by names.
package query
