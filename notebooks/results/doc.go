// Package results keeps measured results and holds the README to them.
package results
