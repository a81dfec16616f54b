package exchange

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// safetensor describes a tensor in the header of a safetensors file,
// https://github.com/huggingface/safetensors#format.
type safetensor struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// maxHeader is the largest header that the library safetensors reads.
const maxHeader = 100_000_000

// labelsKey returns the key of the labels of a table in the metadata, which are texts: a JSON list.
func labelsKey(table string) string { return table + ".labels" }

// safetensorsFile returns one file with all tables, and their labels in its metadata.
func safetensorsFile(tables []Table) ([]atomicfile.File, error) {
	header := map[string]any{}
	metadata := map[string]string{"format": "pt"}
	at := int64(0)
	for _, t := range tables {
		size := int64(4 * len(t.Numbers))
		header[t.Name] = safetensor{"F32", []int{len(t.Labels), t.Columns}, [2]int64{at, at + size}}
		at += size
		for _, label := range t.Labels {
			if !utf8.ValidString(label) {
				return nil, fmt.Errorf("the label %q is not UTF-8, as safetensors needs: rename it, or use npy", label)
			}
		}
		labels, err := json.Marshal(t.Labels)
		if err != nil {
			return nil, err
		}
		metadata[labelsKey(t.Name)] = string(labels)
	}
	header["__metadata__"] = metadata
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	for len(text)%8 != 0 { // the numbers are aligned
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("the labels take %d bytes, more than readers of safetensors accept (%d): "+
			"use npy or parquet", len(text), maxHeader)
	}
	write := func(w io.Writer) error {
		if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		for _, t := range tables {
			if err := binary.Write(w, binary.LittleEndian, t.Numbers); err != nil {
				return err
			}
		}
		return nil
	}
	return []atomicfile.File{{Name: "model.safetensors", Write: write}}, nil
}

// readSafetensors reads the tables with labels of a file that [Export] wrote.
func readSafetensors(content []byte) (tables []Table, err error) {
	damaged := errors.New("the safetensors file is damaged, or not complete")
	if len(content) < 8 {
		return nil, damaged
	}
	length := binary.LittleEndian.Uint64(content)
	if length > uint64(len(content)-8) {
		return nil, damaged
	}
	data := content[8+length:]
	var header map[string]json.RawMessage
	var metadata map[string]string
	if err := json.Unmarshal(content[8:8+length], &header); err != nil {
		return nil, damaged
	}
	if text := header["__metadata__"]; text != nil {
		if err := json.Unmarshal(text, &metadata); err != nil {
			return nil, damaged
		}
	}
	for _, name := range slices.Sorted(maps.Keys(header)) { // in one order, for the digest of a start
		text := header[name]
		list, hasLabels := metadata[labelsKey(name)]
		if !hasLabels {
			continue
		}
		t := Table{Name: name}
		var tensor safetensor
		if json.Unmarshal([]byte(list), &t.Labels) != nil || json.Unmarshal(text, &tensor) != nil {
			return nil, damaged
		}
		from, to := tensor.Offsets[0], tensor.Offsets[1]
		if tensor.Type != "F32" || len(tensor.Shape) != 2 {
			return nil, fmt.Errorf("the tensor %s is no matrix of F32", name)
		}
		if from < 0 || to < from || to > int64(len(data)) {
			return nil, damaged
		}
		t.Columns = tensor.Shape[1]
		numbers := int(to-from) / 4
		if len(t.Labels) != tensor.Shape[0] || len(t.Labels) == 0 || t.Columns < 1 ||
			numbers/len(t.Labels) != t.Columns || numbers%len(t.Labels) != 0 {
			return nil, fmt.Errorf("the tensor %s has another size than its labels", name)
		}
		t.Numbers = make([]float32, numbers)
		for i := range t.Numbers {
			t.Numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[from+int64(4*i):]))
		}
		tables = append(tables, t)
	}
	if len(tables) == 0 {
		return nil, errors.New("the safetensors file has no tensor with labels, such as those of " +
			"autoblm model export")
	}
	return tables, nil
}
