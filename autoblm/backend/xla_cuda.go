//go:build cgo && !noxla && linux && amd64

package backend

// installable lists the plugins for this system.
var installable = []string{"cpu", "cuda12", "cuda13"}
