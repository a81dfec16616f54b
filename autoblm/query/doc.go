// Package query answers multi-hop chain queries: it finds the entities at the end of a path of
// relations from a given entity, also where edges of the path are missing from the graph (paper,
// Sections II-B2 and V-B).
//
// [Data] holds the queries of a graph, either published ones, read by [Open], or queries that
// [Data.Sample] draws from any graph. [Data.Training] prepares them for [kge.Train], [Evaluate]
// ranks the hard answers, and [Predict] lists the best answers to a path.
package query
