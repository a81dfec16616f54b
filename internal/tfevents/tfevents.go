// Package tfevents writes event files, which TensorBoard reads. A file is a sequence of records
// (tensorflow/core/lib/io/record_writer.h), each with a message Event
// (tensorflow/core/util/event.proto).
package tfevents

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Scalar is a value with its name, such as train/loss.
type Scalar struct {
	Tag   string
	Value float64
}

// Writer writes an event file.
type Writer struct{ file *os.File }

// Create creates an event file in a folder. TensorBoard then drops the events of earlier files in
// the folder from a step on.
func Create(folder string, now time.Time, step int) (*Writer, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	// TensorBoard reads files in the order of their names.
	name := fmt.Sprintf("events.out.tfevents.%010d.%09d.%s.%d", now.Unix(), now.Nanosecond(), host,
		os.Getpid())
	file, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	w := &Writer{file}
	begin := append(record(version(now)), record(restart(now, step))...)
	if _, err := file.Write(begin); err != nil {
		file.Close()
		return nil, err
	}
	return w, nil
}

// Add writes scalars of a step.
func (w *Writer) Add(now time.Time, step int, scalars ...Scalar) error {
	_, err := w.file.Write(record(summary(now, step, scalars)))
	return err
}

// Close closes the file.
func (w *Writer) Close() error { return w.file.Close() }

// castagnoli is the polynomial of CRC32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedChecksum returns the CRC32C of data as records have it: rotated and with a constant added,
// so that the checksum of data with a checksum differs from it.
func maskedChecksum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// record frames data: their length, its checksum, the data, their checksum.
func record(data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedChecksum(b))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedChecksum(data))
}

// Numbers of fields.
const (
	eventTime, eventStep, eventVersion, eventSummary, eventSession = 1, 2, 3, 5, 7

	summaryValue           = 1
	valueTag, valueScalar  = 1, 2
	sessionStatus, started = 1, 1
)

// event begins an Event.
func event(now time.Time, step int) []byte {
	seconds := float64(now.Unix()) + float64(now.Nanosecond())/1e9
	b := protowire.AppendTag(nil, eventTime, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, math.Float64bits(seconds))
	if step == 0 {
		return b
	}
	b = protowire.AppendTag(b, eventStep, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(step))
}

// version returns the first event of a file.
func version(now time.Time) []byte {
	b := protowire.AppendTag(event(now, 0), eventVersion, protowire.BytesType)
	return protowire.AppendString(b, "brain.Event:2")
}

// restart returns the event of a session that starts before a step.
func restart(now time.Time, step int) []byte {
	session := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	session = protowire.AppendVarint(session, started)
	b := protowire.AppendTag(event(now, step), eventSession, protowire.BytesType)
	return protowire.AppendBytes(b, session)
}

// summary returns the event with scalars.
func summary(now time.Time, step int, scalars []Scalar) []byte {
	var values []byte
	for _, s := range scalars {
		value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
		value = protowire.AppendString(value, s.Tag)
		value = protowire.AppendTag(value, valueScalar, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.Value)))
		values = protowire.AppendTag(values, summaryValue, protowire.BytesType)
		values = protowire.AppendBytes(values, value)
	}
	b := protowire.AppendTag(event(now, step), eventSummary, protowire.BytesType)
	return protowire.AppendBytes(b, values)
}
