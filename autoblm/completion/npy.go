package completion

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A NumPy array file is the magic, the version (two bytes), the length of the
// header (two bytes in version 1, four in 2 and 3), the header, which is a
// Python dictionary and ends the line, and the numbers.
const npyMagic = "\x93NUMPY"

// encodeNPY writes a row-major table as a float32 array of shape
// [rows, columns] in version 1 of the format.
func encodeNPY(table []float32, columns int) []byte {
	const fixed, alignment = len(npyMagic) + 4, 64
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", len(table)/columns, columns)
	// The numbers start at a multiple of 64 bytes, so that readers can map them.
	padding := alignment - 1 - (fixed+len(header))%alignment
	header += strings.Repeat(" ", padding) + "\n"

	content := make([]byte, 0, fixed+len(header)+4*len(table))
	content = append(content, npyMagic...)
	content = append(content, 1, 0)
	content = binary.LittleEndian.AppendUint16(content, uint16(len(header)))
	content = append(content, header...)
	for _, x := range table {
		content = binary.LittleEndian.AppendUint32(content, math.Float32bits(x))
	}
	return content
}

// readNPY reads a row-major array of float32 or float64 of shape [rows,
// columns]. It takes no more memory than the content has numbers, whatever the
// header says.
func readNPY(content []byte, rows, columns int) ([]float32, error) {
	header, data, err := splitNPY(content)
	if err != nil {
		return nil, err
	}
	kind, columnOrder, shape, err := parseNPYHeader(header)
	switch {
	case err != nil:
		return nil, err
	case kind != "<f4" && kind != "<f8":
		return nil, fmt.Errorf("the array has numbers of type %q: save it with .astype('<f4')", kind)
	case len(shape) != 2 || shape[0] != rows || shape[1] != columns:
		return nil, fmt.Errorf("the array has shape %v, but the labels and dim ask for %v", shape, []int{rows, columns})
	case columnOrder:
		return nil, errors.New("the array is in column order: save it through numpy.ascontiguousarray")
	}
	size := 4
	if kind == "<f8" {
		size = 8
	}
	numbers := len(data) / size
	if len(data)%size != 0 || numbers%columns != 0 || numbers/columns != rows { // rows*columns may overflow
		return nil, fmt.Errorf("the array has %d bytes of numbers, which is not what shape %v takes: is the file cut short?", len(data), shape)
	}
	table := make([]float32, numbers)
	for i := range table {
		if size == 4 {
			table[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		} else {
			table[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
		}
	}
	return table, nil
}

func splitNPY(content []byte) (header, data []byte, err error) {
	rest, found := bytes.CutPrefix(content, []byte(npyMagic))
	if !found || len(rest) < 6 {
		return nil, nil, errors.New("not a NumPy array file: write it with numpy.save")
	}
	length, start := uint64(binary.LittleEndian.Uint16(rest[2:])), uint64(4)
	switch major := rest[0]; major {
	case 1:
	case 2, 3:
		length, start = uint64(binary.LittleEndian.Uint32(rest[2:])), 6
	default:
		return nil, nil, fmt.Errorf("the file has version %d of the NumPy format: 1, 2 and 3 can be read", major)
	}
	if start+length > uint64(len(rest)) {
		return nil, nil, errors.New("the file ends within the header of the array: is it cut short?")
	}
	return rest[start : start+length], rest[start+length:], nil
}

var (
	npyKind  = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	npyOrder = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^)]*)\)`)
)

func parseNPYHeader(header []byte) (kind string, columnOrder bool, shape []int, err error) {
	kindMatch, orderMatch, shapeMatch := npyKind.FindSubmatch(header), npyOrder.FindSubmatch(header), npyShape.FindSubmatch(header)
	if kindMatch == nil || orderMatch == nil || shapeMatch == nil {
		return "", false, nil, errors.New("the header of the array lacks a plain descr, fortran_order or shape: write it with numpy.save")
	}
	for text := range strings.SplitSeq(string(shapeMatch[1]), ",") {
		text = strings.TrimSuffix(strings.TrimSpace(text), "L") // Python 2 wrote 12L
		if text == "" {                                         // after the last comma
			continue
		}
		length, err := strconv.Atoi(text)
		if err != nil {
			return "", false, nil, fmt.Errorf("the array has a length of %q in its shape: write it with numpy.save", text)
		}
		shape = append(shape, length)
	}
	return string(kindMatch[1]), string(orderMatch[1]) == "True", shape, nil
}
