// Package checkpoint keeps trainings on their way in files: a description and tables of
// numbers. Of each file there are two generations, so that a disk that spoils one, or a
// kill while it is replaced, leaves the one before.
package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// ErrDamaged marks a file that is not what was written, and has no sound one before it.
var ErrDamaged = errors.New("the file is damaged, or no checkpoint: remove it to begin anew")

// A file is the magic, the length of the description (eight bytes), the description, which
// is JSON, the tables as float32 one after the other, and the checksum of all that (four
// bytes); little-endian throughout.
const magic = "ABLMckp1"

// header is the description.
type header struct {
	Run json.RawMessage `json:"run"`
	// Tables has the length of each.
	Tables []int `json:"tables"`
}

func newChecksum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// atATime is how many numbers are turned into bytes, and back, by one call.
const atATime = 1 << 16

// before is the generation before a file, and next the one that is to take its place.
func before(path string) string { return path + ".before" }
func next(path string) string   { return path + ".next" }

// Name is a short name for what a file is about, another one for anything else.
func Name(about []byte, more ...string) string {
	sum := sha256.New()
	for _, part := range append([]string{string(about)}, more...) {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// Write writes a file, whole or not at all, and keeps the one that it replaces. Its folder
// must exist. The run is what JSON has of the training.
func Write(path string, run any, tables [][]float32) error {
	about, err := json.Marshal(run)
	if err != nil {
		return err
	}
	h := header{Run: about}
	for _, t := range tables {
		h.Tables = append(h.Tables, len(t))
	}
	description, err := json.Marshal(h)
	if err != nil {
		return err
	}
	err = atomicfile.Create(next(path), func(plain io.Writer) error {
		sum := newChecksum()
		w := io.MultiWriter(plain, sum)
		head := binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(description)))
		if _, err := w.Write(append(head, description...)); err != nil {
			return err
		}
		bytes := make([]byte, 0, 4*atATime)
		for _, t := range tables {
			for numbers := range slices.Chunk(t, atATime) {
				var err error
				if bytes, err = binary.Append(bytes[:0], binary.LittleEndian, numbers); err == nil {
					_, err = w.Write(bytes)
				}
				if err != nil {
					return err
				}
			}
		}
		_, err := plain.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
		return err
	})
	if err != nil {
		return err
	}
	if err := os.Rename(path, before(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, os.Remove(next(path)))
	}
	return atomicfile.Rename(next(path), path)
}

// Read reads a file into a run, or the one before where it is damaged, and returns the
// tables. Where there is none, the error is that of a file that does not exist. It takes no
// more memory than the file has bytes, whatever that says.
func Read(path string, run any) ([][]float32, error) {
	tables, err := read(path, run)
	if errors.Is(err, fs.ErrNotExist) { // as after a kill between two renames
		tables, err = read(next(path), run)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return tables, err
	}
	if tables, failed := read(before(path), run); failed == nil {
		return tables, nil
	}
	return nil, err
}

// ReadDescription reads only the description of what [Read] would read, into a run, without looking
// whether the rest is sound.
func ReadDescription(path string, run any) error {
	var err error
	for _, name := range []string{path, next(path), before(path)} {
		if err = head(name, run); err == nil {
			return nil
		}
	}
	return err
}

func head(path string, run any) error {
	file, err := inputfile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	h, err := readHeader(file, info.Size())
	if err == nil && json.Unmarshal(h.Run, run) != nil {
		err = ErrDamaged
	}
	return err
}

// readHeader reads the description at the start of a file of so many bytes.
func readHeader(r io.Reader, size int64) (h header, err error) {
	start := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(magic)]) != magic {
		return h, ErrDamaged
	}
	left := size - int64(len(start)) - 4 // for description and tables
	length := binary.LittleEndian.Uint64(start[len(magic):])
	if left < 0 || length > uint64(left) {
		return h, ErrDamaged
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil || json.Unmarshal(text, &h) != nil || !h.fits(left-int64(length)) {
		return h, ErrDamaged
	}
	return h, nil
}

// Remove removes a file with the one before, where they are. The file itself goes last: a
// kill on the way leaves what the same removal is for, and not an older one.
func Remove(path string) error {
	for _, name := range []string{next(path), before(path), path} {
		if err := atomicfile.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

func read(path string, run any) ([][]float32, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	plain, sum := bufio.NewReaderSize(file, 1<<20), newChecksum()
	r := io.TeeReader(plain, sum)
	h, err := readHeader(r, info.Size())
	if err != nil {
		return nil, err
	}
	var tables [][]float32
	for _, n := range h.Tables {
		t := make([]float32, n)
		for numbers := range slices.Chunk(t, atATime) {
			if err := binary.Read(r, binary.LittleEndian, numbers); err != nil {
				return nil, ErrDamaged
			}
		}
		tables = append(tables, t)
	}
	want := sum.Sum32()
	last := make([]byte, 4)
	if _, err := io.ReadFull(plain, last); err != nil || binary.LittleEndian.Uint32(last) != want || json.Unmarshal(h.Run, run) != nil {
		return nil, ErrDamaged
	}
	return tables, nil
}

// fits says whether the tables have so many bytes.
func (h header) fits(bytes int64) bool {
	var wanted int64
	for _, n := range h.Tables {
		if n < 0 || int64(n) > bytes {
			return false
		}
		wanted += 4 * int64(n)
	}
	return wanted == bytes
}
