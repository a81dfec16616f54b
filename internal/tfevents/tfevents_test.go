package tfevents_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/tfevents"
)

// checksum returns the masked CRC32C.
func checksum(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// records splits a file and checks lengths and checksums.
func records(t *testing.T, file []byte) (all [][]byte) {
	t.Helper()
	for len(file) > 0 {
		n := binary.LittleEndian.Uint64(file)
		if binary.LittleEndian.Uint32(file[8:]) != checksum(file[:8]) {
			t.Fatal("the checksum of a length is wrong")
		}
		data := file[12 : 12+n]
		if binary.LittleEndian.Uint32(file[12+n:]) != checksum(data) {
			t.Fatal("the checksum of a record is wrong")
		}
		all, file = append(all, data), file[16+n:]
	}
	return all
}

// fields decodes a message into texts such as "2=5", in order.
func fields(t *testing.T, message []byte) (all []string) {
	t.Helper()
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		message = message[n:]
		var value any
		size := 0
		switch key & 7 {
		case 0:
			value, size = binary.Uvarint(message)
		case 1:
			value, size = math.Float64frombits(binary.LittleEndian.Uint64(message)), 8
		case 2:
			length, n := binary.Uvarint(message)
			value, size = string(message[n:n+int(length)]), n+int(length)
		case 5:
			value, size = math.Float32frombits(binary.LittleEndian.Uint32(message)), 4
		default:
			t.Fatalf("type %d", key&7)
		}
		all, message = append(all, fmt.Sprintf("%d=%v", key>>3, value)), message[size:]
	}
	return all
}

func write(t *testing.T, folder string, now time.Time, from int) {
	t.Helper()
	w, err := tfevents.Create(folder, now, from)
	require.NoError(t, err)
	for step := from; step < from+3; step++ {
		err := w.Add(now, step, tfevents.Scalar{Tag: "train/loss", Value: 1 / float64(step)},
			tfevents.Scalar{Tag: "valid/MRR", Value: 0.5})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
}

func TestEventFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, time.Unix(1700000000, 250_000_000), 4)
	found, _ := filepath.Glob(filepath.Join(dir, "events.out.tfevents.1700000000.*"))
	if len(found) != 1 {
		t.Fatal(found)
	}
	file, err := os.ReadFile(found[0])
	require.NoError(t, err)
	// The files of TensorFlow begin with the same length and checksum.
	if !bytes.HasPrefix(file, []byte("\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\x22\x09")) {
		t.Errorf("the file begins with %q", file[:13])
	}
	const at = "1=1.70000000025e+09 "
	scalars := func(loss float64) string {
		var b bytes.Buffer
		for _, s := range []struct {
			tag   string
			value float64
		}{{"train/loss", loss}, {"valid/MRR", 0.5}} {
			value := append([]byte{1<<3 | 2, byte(len(s.tag))}, s.tag...)
			value = append(value, 2<<3|5)
			value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(s.value)))
			b.Write(append([]byte{1<<3 | 2, byte(len(value))}, value...))
		}
		return "5=" + b.String()
	}
	want := []string{
		at + "3=brain.Event:2", at + "2=4 7=\x08\x01", at + "2=4 " + scalars(0.25),
		at + "2=5 " + scalars(0.2), at + "2=6 " + scalars(1.0/6),
	}
	got := records(t, file)
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i, message := range got {
		if text := strings.Join(fields(t, message), " "); text != want[i] {
			t.Errorf("record %d is %q, want %q", i, text, want[i])
		}
	}
}

// TestTensorBoardReadsEventFiles: the steps of a second file replace those of the first.
func TestTensorBoardReadsEventFiles(t *testing.T) {
	python := os.Getenv("AUTOBLM_TENSORBOARD_PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import tensorboard").Run() != nil {
		t.Skip("Python's package tensorboard is not installed")
	}
	dir := t.TempDir()
	write(t, dir, time.Unix(1700000000, 0), 1)
	write(t, dir, time.Unix(1700000001, 0), 2)
	const script = `import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1])
a.Reload()
for tag in a.Tags()["scalars"]:
    print(tag, *(f"{e.step}:{e.value:.3f}" for e in a.Scalars(tag)))`
	out, err := exec.Command(python, "-c", script, dir).Output()
	const want = "train/loss 1:1.000 2:0.500 3:0.333 4:0.250\n" +
		"valid/MRR 1:0.500 2:0.500 3:0.500 4:0.500\n"
	if err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}
