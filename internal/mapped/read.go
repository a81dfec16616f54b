package mapped

import (
	"os"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// minMapped is the size from which ReadFile maps files.
const minMapped = 64 << 20

// ReadFile returns the content of a file for a process that needs it to its end: the memory of a
// large file is that of the file, and is not freed. Changes of the content stay in memory. A file
// that others shorten in place ends the process, so they must replace it, as this program does.
func ReadFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || info.Size() < minMapped {
		return inputfile.Read(path)
	}
	content, _, err := Open(path)
	return content, err
}

// Open works like [ReadFile] for a file of any size. It also returns a function that frees the
// content.
func Open(path string) (content []byte, unmap func(), err error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() // the mapping stays
	if info, err := file.Stat(); err == nil {
		if content, err := mapFile(file, info.Size()); err == nil {
			return content, func() { free(content) }, nil
		}
	}
	content, err = inputfile.Read(path)
	return content, func() {}, err
}
