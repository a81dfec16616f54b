//go:build cgo && !noxla && linux && amd64

package backend

// installable are the plugins that there are for this system.
var installable = []string{"cpu", "cuda12", "cuda13"}
