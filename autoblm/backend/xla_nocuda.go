//go:build cgo && !noxla && ((linux && arm64) || (darwin && arm64))

package backend

// fetches are the downloads that there are for this system.
var fetches = map[string]func(folder string) error{"cpu": fetchCPU}
