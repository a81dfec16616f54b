// Package results keeps measured results and holds the documents to them.
package results
