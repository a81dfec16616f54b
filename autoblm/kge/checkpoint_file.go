package kge

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/autoblm/autoblm-go/internal/wholefile"
)

// A checkpoint file is the magic, the length of the description (eight bytes), the
// description, which is JSON, the tables as float32 one after the other, and the
// checksum of all that (four bytes); little-endian throughout.
const checkpointMagic = "ABLMckp1"

// checkpointFile is the description.
type checkpointFile struct {
	Run keptRun `json:"run"`
	// Tables has the length of each.
	Tables []int `json:"tables"`
}

func newChecksum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// atATime is how many numbers are turned into bytes, and back, by one call.
const atATime = 1 << 16

func writeCheckpoint(path string, run keptRun, tables [][]float32) error {
	file := checkpointFile{Run: run}
	for _, t := range tables {
		file.Tables = append(file.Tables, len(t))
	}
	description, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return wholefile.Create(path, func(plain io.Writer) error {
		sum := newChecksum()
		w := io.MultiWriter(plain, sum)
		head := binary.LittleEndian.AppendUint64([]byte(checkpointMagic), uint64(len(description)))
		if _, err := w.Write(append(head, description...)); err != nil {
			return err
		}
		for _, t := range tables {
			for numbers := range slices.Chunk(t, atATime) {
				if err := binary.Write(w, binary.LittleEndian, numbers); err != nil {
					return err
				}
			}
		}
		_, err := plain.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
		return err
	})
}

var errDamagedCheckpoint = errors.New("the file is damaged, or no checkpoint: remove it to begin anew")

// readCheckpoint takes no more memory than the file has bytes, whatever it says.
func readCheckpoint(path string) (keptRun, [][]float32, error) {
	file, err := os.Open(path)
	if err != nil {
		return keptRun{}, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return keptRun{}, nil, err
	}
	plain, sum := bufio.NewReaderSize(file, 1<<20), newChecksum()
	r := io.TeeReader(plain, sum)
	head := make([]byte, len(checkpointMagic)+8)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(checkpointMagic)]) != checkpointMagic {
		return keptRun{}, nil, errDamagedCheckpoint
	}
	left := info.Size() - int64(len(head)) - 4 // for description and tables
	length := binary.LittleEndian.Uint64(head[len(checkpointMagic):])
	if left < 0 || length > uint64(left) {
		return keptRun{}, nil, errDamagedCheckpoint
	}
	text := make([]byte, length)
	var d checkpointFile
	if _, err := io.ReadFull(r, text); err != nil || json.Unmarshal(text, &d) != nil {
		return keptRun{}, nil, errDamagedCheckpoint
	}
	left -= int64(length)
	if err := d.check(left); err != nil {
		return keptRun{}, nil, err
	}
	var tables [][]float32
	for _, n := range d.Tables {
		t := make([]float32, n)
		for numbers := range slices.Chunk(t, atATime) {
			if err := binary.Read(r, binary.LittleEndian, numbers); err != nil {
				return keptRun{}, nil, errDamagedCheckpoint
			}
		}
		tables = append(tables, t)
	}
	want := sum.Sum32()
	last := make([]byte, 4)
	if _, err := io.ReadFull(plain, last); err != nil || binary.LittleEndian.Uint32(last) != want {
		return keptRun{}, nil, errDamagedCheckpoint
	}
	return d.Run, tables, nil
}

// check compares the description with the number of bytes that the tables have.
func (d checkpointFile) check(bytes int64) error {
	var wanted int64
	for _, n := range d.Tables {
		if n < 0 || int64(n) > bytes {
			return errDamagedCheckpoint
		}
		wanted += 4 * int64(n)
	}
	for _, m := range d.Run.Members {
		if m.Slots < 0 || m.Slots > len(d.Tables) {
			return errDamagedCheckpoint
		}
	}
	if wanted != bytes || d.Run.groups() > len(d.Tables) {
		return errDamagedCheckpoint
	}
	return nil
}
