// Package doctor looks at an installation of the kernels and says what keeps
// notebooks from working, and how to mend it.
package doctor
