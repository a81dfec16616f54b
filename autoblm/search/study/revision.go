package study

import (
	"errors"
	"fmt"
	"os"
)

// Revision returns a text that changes when the study changes, and when a process begins or ends to
// search with it. It reads only the start of the file, without a lock.
func Revision(path string) (revision string, err error) {
	err = usedFiles.read(path, func() error {
		info, statError := os.Stat(path)
		h, err := readHeader(path)
		if err := errors.Join(statError, err); err != nil {
			return explainRead(path, err)
		}
		holder := "nobody"
		if u := inUse(path); u != nil {
			holder = u.holder()
		}
		revision = fmt.Sprint(info.ModTime().UnixNano(), info.Size(), h.changes, holder)
		return nil
	})
	return revision, err
}
