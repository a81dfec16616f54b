//go:build cgo && !noxla && ((linux && arm64) || (darwin && arm64))

package backend

// installable lists the plugins for this system.
var installable = []string{"cpu"}
