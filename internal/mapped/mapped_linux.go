package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve gives a file a size and maps it.
func reserve(file *os.File, size int64) ([]byte, error) {
	descriptor := int(file.Fd())
	if err := unix.Fallocate(descriptor, 0, 0, size); err != nil {
		return nil, err
	}
	return unix.Mmap(descriptor, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// mapFile maps a file whose pages become private when they are changed.
func mapFile(file *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
}

// The system may refuse these calls. Then only memory or time is lost.
func release(pages []byte) { _ = unix.Madvise(pages, unix.MADV_DONTNEED) }
func load(pages []byte)    { _ = unix.Madvise(pages, unix.MADV_WILLNEED) }
func free(all []byte)      { _ = unix.Munmap(all) }
