package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// heldName is the name of the file that is locked while a process holds its folder.
const heldName = ".lock"

// Hold reserves a folder for this process until release is called or the process ends. It fails if
// another process holds the folder. Where files cannot be locked, it reserves nothing.
func Hold(dir string) (release func(), err error) {
	path := filepath.Join(dir, heldName)
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("write into the folder %s: %w", dir, withoutPath(err))
		}
		locked := lock(file)
		if errors.Is(locked, errInUse) {
			defer file.Close()
			return nil, heldError(dir, file)
		}
		if locked != nil {
			_ = file.Close()
			_ = os.Remove(path)
			return func() {}, nil
		}
		if isAt(path, file) {
			_ = file.Truncate(0) // left by a killed process
			_, _ = file.WriteString(strconv.Itoa(os.Getpid()))
			return func() { _, _ = os.Remove(path), file.Close() }, nil
		}
		_ = file.Close() // its holder has removed it
	}
}

// isAt reports whether a path is still that of an open file.
func isAt(path string, file *os.File) bool {
	onDisk, err := os.Lstat(path)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(onDisk, opened)
}

func heldError(dir string, file io.Reader) error {
	holder := "another process"
	if id, _ := io.ReadAll(io.LimitReader(file, 20)); len(id) > 0 {
		holder = "process " + string(id)
	}
	return fmt.Errorf("write into the folder %s: it is in use by %s; wait for it, "+
		"or use another folder", dir, holder)
}
