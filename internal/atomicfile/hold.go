package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// LockedError reports that another process has a lock.
type LockedError struct{ Process int } // 0 if unknown

func (e *LockedError) Error() string {
	if e.Process == 0 {
		return "in use by another process"
	}
	return fmt.Sprintf("in use by process %d", e.Process)
}

// TakeLock makes a file for a lock and locks it, until release removes it or the process ends. Only the
// first call of release counts: a later one would remove the lock of another process. If another
// process has the lock, the error is a [LockedError]. Where files cannot be locked, it is
// [errors.ErrUnsupported].
func TakeLock(path string) (release func(), err error) {
	for try := 0; ; {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, withoutPath(err)
		}
		switch err := lock(file); {
		case errors.Is(err, errInUse) && try < 10: // LockHolder has it for a moment
			try++
			time.Sleep(5 * time.Millisecond)
		case errors.Is(err, errInUse):
			defer file.Close()
			return nil, &LockedError{processIn(file)}
		case err != nil:
			_ = file.Close()
			_ = os.Remove(path)
			return nil, errors.ErrUnsupported
		case isAt(path, file):
			_ = file.Truncate(0) // left by a killed process
			_, _ = file.WriteString(strconv.Itoa(os.Getpid()))
			return sync.OnceFunc(func() { _, _ = os.Remove(path), file.Close() }), nil
		}
		_ = file.Close() // the process that had the lock has removed it
	}
}

// LockHolder returns the process that has a lock, nil if none has.
func LockHolder(path string) *LockedError {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	if !errors.Is(lock(file), errInUse) {
		return nil
	}
	return &LockedError{processIn(file)}
}

// processIn reads the process from the file of a lock, 0 if it is not written yet.
func processIn(file io.Reader) int {
	text, _ := io.ReadAll(io.LimitReader(file, 20))
	id, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return id
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

// holdFile returns the path of the lock of [Hold].
func holdFile(dir string) string { return filepath.Join(dir, ".lock") }

// Holder returns the process that holds a folder, nil if none does.
func Holder(dir string) *LockedError { return LockHolder(holdFile(dir)) }

// Hold reserves a folder for this process until release is called or the process ends. It fails if
// another process holds the folder. Where files cannot be locked, it reserves nothing.
func Hold(dir string) (release func(), err error) {
	release, err = TakeLock(holdFile(dir))
	if errors.Is(err, errors.ErrUnsupported) {
		return func() {}, nil
	}
	if _, isLocked := errors.AsType[*LockedError](err); isLocked {
		return nil, fmt.Errorf("write into the folder %s: it is %w; wait for it, "+
			"or use another folder", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("write into the folder %s: %w", dir, err)
	}
	return release, nil
}
