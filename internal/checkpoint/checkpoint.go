// Package checkpoint stores the state of trainings in files: a description and tables of numbers.
// It keeps two generations of each file, so that a damaged file or a kill leaves the previous
// one.
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
	"iter"
	"os"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/mapped"
)

// ErrDamaged means that a file is damaged and has no valid previous generation.
var ErrDamaged = errors.New("the file is damaged, or no checkpoint: remove it to start over")

// A file consists of the magic, the length of the description (eight bytes), the description in
// JSON, the tables in float32 and the checksum of all that (four bytes). All numbers are
// little-endian.
const (
	magic         = "ABLMckp1"
	checksumBytes = 4
)

// header is the description.
type header struct {
	Run json.RawMessage `json:"run"`
	// Tables has the lengths of the tables.
	Tables []int `json:"tables"`
}

func newChecksum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// blockSize is the number of numbers that one call encodes or decodes.
const blockSize = 1 << 16

// previous returns the path of the previous generation.
func previous(path string) string { return path + ".before" }

// next returns the path of the generation that will replace a file.
func next(path string) string { return path + ".next" }

// Name returns a short name that depends on all its arguments.
func Name(about []byte, more ...string) string {
	sum := sha256.New()
	for _, part := range append([]string{string(about)}, more...) {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// Table is a table of numbers that is written and read in parts.
type Table struct {
	Count int // of numbers
	// Parts yields the numbers in order.
	Parts iter.Seq[[]float32]
	// Set replaces the numbers from an index on.
	Set func(from int, numbers []float32)
}

// TableOf returns the table of numbers in memory.
func TableOf(numbers []float32) Table {
	return Table{
		Count: len(numbers), Parts: mapped.Parts(numbers),
		Set: func(from int, part []float32) {
			n := copy(numbers[from:], part)
			mapped.Release(numbers[from : from+n])
		},
	}
}

// Fill replaces the numbers by those of another table.
func (t Table) Fill(from Table) {
	at := 0
	for part := range from.Parts {
		t.Set(at, part)
		at += len(part)
	}
}

// TablesOf returns the tables of numbers in memory.
func TablesOf(all [][]float32) (tables []Table) {
	for _, numbers := range all {
		tables = append(tables, TableOf(numbers))
	}
	return tables
}

// Write writes a file atomically and keeps the file that it replaces. Its folder must exist. run is
// encoded in JSON.
func Write(path string, run any, tables []Table) error {
	about, err := json.Marshal(run)
	if err != nil {
		return err
	}
	h := header{Run: about}
	for _, t := range tables {
		h.Tables = append(h.Tables, t.Count)
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
		block := make([]byte, 0, 4*blockSize)
		for _, t := range tables {
			for numbers := range t.Parts {
				var err error
				block, err = binary.Append(block[:0], binary.LittleEndian, numbers)
				if err == nil {
					_, err = w.Write(block)
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
	if err := keepPrevious(path); err != nil {
		return errors.Join(err, os.Remove(next(path)))
	}
	return atomicfile.Rename(next(path), path)
}

// keepPrevious gives a file, if it exists, the name of the previous generation as well, so that
// other processes always see the file. Where files cannot have two names, it renames the file.
func keepPrevious(path string) error {
	_ = os.Remove(previous(path))
	if os.Link(path, previous(path)) == nil {
		return nil
	}
	if err := os.Rename(path, previous(path)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Read reads a file, or the previous one if it is damaged. It decodes the description into run and
// returns the tables. Without a file the error is [fs.ErrNotExist]. It needs no more memory than
// the size of the file.
func Read(path string, run any) (tables [][]float32, err error) {
	err = ReadInto(path, run, func(counts []int) ([]Table, error) {
		tables = nil
		for _, n := range counts {
			tables = append(tables, make([]float32, n))
		}
		return TablesOf(tables), nil
	})
	if err != nil {
		return nil, err
	}
	return tables, nil
}

// ReadInto reads like [Read], but into tables. It calls open with the lengths of the tables once it
// has checked a file and decoded its description. An error of open is returned as it is.
func ReadInto(path string, run any, open func(lengths []int) ([]Table, error)) error {
	err := read(path, run, open)
	if errors.Is(err, fs.ErrNotExist) { // after a kill between two renames, see keepPrevious
		err = read(next(path), run, open)
	}
	if _, isRefused := errors.AsType[refusal](err); isRefused {
		return errors.Unwrap(err)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if read(previous(path), run, open) == nil {
		return nil
	}
	return err
}

// refusal is an error of the function that opens tables.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// ReadDescription reads only the description of the file that [Read] would read, without checking
// the tables.
func ReadDescription(path string, run any) error {
	err := readDescription(path, run)
	if errors.Is(err, fs.ErrNotExist) { // after a kill between two renames, see keepPrevious
		err = readDescription(next(path), run)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if readDescription(previous(path), run) == nil {
		return nil
	}
	return err
}

func readDescription(path string, run any) error {
	file, err := inputfile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, err = readHeader(file, info.Size(), run)
	return err
}

// readHeader reads the description at the start of a file with a size, and decodes it into run.
func readHeader(r io.Reader, size int64, run any) (h header, err error) {
	start := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(magic)]) != magic {
		return h, ErrDamaged
	}
	rest := size - int64(len(start)) - 4 // of description and tables
	length := binary.LittleEndian.Uint64(start[len(magic):])
	if rest < 0 || length > uint64(rest) {
		return h, ErrDamaged
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil || json.Unmarshal(text, &h) != nil ||
		!h.fits(rest-int64(length)) || json.Unmarshal(h.Run, run) != nil {
		return h, ErrDamaged
	}
	return h, nil
}

// Remove removes a file and its other generations, if they exist. It removes the file last, so that
// a kill does not leave only an older generation.
func Remove(path string) error {
	for _, name := range []string{next(path), previous(path), path} {
		if err := atomicfile.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// Keep renames a file and removes its other generations.
func Keep(path, as string) error {
	for _, name := range []string{next(path), previous(path)} {
		if err := atomicfile.Remove(name); err != nil {
			return err
		}
	}
	return atomicfile.Rename(path, as)
}

func read(path string, run any, open func(counts []int) ([]Table, error)) error {
	file, err := inputfile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := verify(file, info.Size()); err != nil {
		return err
	}
	r := bufio.NewReaderSize(file, 1<<20)
	h, err := readHeader(r, info.Size(), run)
	if err != nil {
		return err
	}
	tables, err := open(h.Tables)
	if err != nil {
		return refusal{err}
	}
	block := make([]float32, blockSize)
	for i, n := range h.Tables {
		for from := 0; from < n; from += blockSize {
			numbers := block[:min(blockSize, n-from)]
			if err := binary.Read(r, binary.LittleEndian, numbers); err != nil {
				return ErrDamaged
			}
			tables[i].Set(from, numbers)
		}
	}
	return nil
}

// verify compares the checksum of a file with a size, and returns to its start.
func verify(file io.ReadSeeker, size int64) error {
	sum, last := newChecksum(), make([]byte, checksumBytes)
	if _, err := io.CopyN(sum, file, size-checksumBytes); err != nil {
		return ErrDamaged
	}
	if _, err := io.ReadFull(file, last); err != nil ||
		binary.LittleEndian.Uint32(last) != sum.Sum32() {
		return ErrDamaged
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}

// fits reports whether the tables have a size in bytes.
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
