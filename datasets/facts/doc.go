// Package facts reads facts from files of common formats: tables with tabs, commas or other
// separators, lines of JSON, RDF and Parquet. A source is a stream of facts: head, relation, tail,
// and maybe a weight and a time, each with the number of its line.
//
// [Read] recognizes the format by the ending of the name, then by the content, and unpacks gzip and
// zstd. It reads pipes, and the standard input as "-".
package facts
