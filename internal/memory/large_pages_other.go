//go:build !linux

package memory

// UseLargePages does nothing on this system.
func UseLargePages([]float32) {}
