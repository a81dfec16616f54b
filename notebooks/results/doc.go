// Package results stores measured results and checks the tables in the documents against them.
package results
