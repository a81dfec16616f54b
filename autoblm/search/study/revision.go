package study

import (
	"fmt"
	"os"
)

// Revision returns a text that changes when the study changes, and when a process begins or ends to
// search with it. It reads only the start of the file, without a lock.
func Revision(path string) (string, error) {
	openStudies.Lock()
	defer openStudies.Unlock()
	if openStudies.has(path) {
		return "", &InUseError{path, os.Getpid()}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the study: %w", err)
	}
	h, err := readHeader(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the study: %w", err)
	}
	holder := "nobody"
	if u := inUse(path); u != nil {
		holder = u.Holder()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size(), h.changes, holder), nil
}
