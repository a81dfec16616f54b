//go:build cgo && !noxla && ((linux && arm64) || (darwin && arm64))

package backend

// installable are the plugins that there are for this system.
var installable = []string{"cpu"}
