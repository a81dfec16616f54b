package wholefile

import "path/filepath"

// Writable tells, before there is something to write, whether [Write] can do so there. It
// leaves what is there as it is.
func Writable(path string) error {
	path = linked(path)
	removeLeftovers(filepath.Dir(path), filepath.Base(path))
	u, err := newFile(filepath.Dir(path), File{Name: filepath.Base(path)})
	if err != nil {
		return reason(err)
	}
	u.discard()
	return nil
}
