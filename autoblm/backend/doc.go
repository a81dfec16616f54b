// Package backend finds what GoMLX can run on here, chooses among it, and opens it.
//
// A backend has a name: "go" is GoMLX's own and needs nothing; "xla:cpu" and
// "xla:cuda" are XLA with an installed PJRT plugin; "xla:" with an absolute path
// is XLA with that plugin. Options follow after commas, as in
// "xla:cuda,tf32=false,preallocate=false".
//
// [Choose] decides between what was asked for and what is here: what is asked for
// by name, in a call or in a variable, is used or is an error. [List] tells all
// that was found and why some of it cannot be used. Nothing is downloaded but by
// [Install].
//
// XLA needs cgo. A program built without it, or with the tag noxla, has the
// backend "go" only, and says so.
package backend
