// Package npy writes and reads the array files of NumPy.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

var isLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// A NumPy array file is the magic, the version (two bytes), the length of the
// header (two bytes in version 1, four in 2 and 3), the header, which is a
// Python dictionary and ends the line, and the numbers.
const magic = "\x93NUMPY"

// Encode writes row-major numbers as a float32 array of a shape of two axes or more, in
// version 1 of the format.
func Encode(table []float32, shape ...int) []byte {
	content := bytes.NewBuffer(make([]byte, 0, maxHeader+4*len(table)))
	_ = Write(content, slices.Values([][]float32{table}), shape...) // a buffer has no errors
	return content.Bytes()
}

// maxHeader is an upper bound of the bytes before the numbers for shapes of two axes.
const maxHeader = 128

// Write writes what [Encode] returns, for numbers in parts.
func Write(w io.Writer, parts iter.Seq[[]float32], shape ...int) error {
	const fixed, alignment = len(magic) + 4, 64
	axes := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", axes)
	// The numbers start at a multiple of 64 bytes, so that readers can map them.
	padding := alignment - 1 - (fixed+len(header))%alignment
	header += strings.Repeat(" ", padding) + "\n"

	start := append([]byte(magic), 1, 0)
	start = binary.LittleEndian.AppendUint16(start, uint16(len(header)))
	if _, err := w.Write(append(start, header...)); err != nil {
		return err
	}
	var block []byte
	for part := range parts {
		block, _ = binary.Append(block[:0], binary.LittleEndian, part) // never fails for float32
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a row-major array of float32 or float64 of the given shape. Its use of memory depends
// on the size of the content, not on the header. The array may share memory with the content.
func Read(content []byte, shape ...int) ([]float32, error) {
	header, data, err := split(content)
	if err != nil {
		return nil, err
	}
	kind, columnOrder, found, err := parseHeader(header)
	switch {
	case err != nil:
		return nil, err
	case kind != "<f4" && kind != "<f8":
		return nil, fmt.Errorf("the array has numbers of type %q: save it with .astype('<f4')", kind)
	case !slices.Equal(found, shape):
		return nil, fmt.Errorf("the array has shape %v, but the labels and settings need %v",
			found, shape)
	case columnOrder:
		return nil, errors.New("the array is in column order: save numpy.ascontiguousarray of it")
	}
	size := 4
	if kind == "<f8" {
		size = 8
	}
	numbers := len(data) / size
	if len(data)%size != 0 || !holds(shape, numbers) {
		return nil, fmt.Errorf("the array has %d bytes of numbers, which does not match shape %v:"+
			" is the file truncated?", len(data), shape)
	}
	if size == 4 && isLittleEndian && numbers > 0 && uintptr(unsafe.Pointer(&data[0]))%4 == 0 {
		return unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), numbers), nil
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

// Shape returns the shape of an array.
func Shape(content []byte) ([]int, error) {
	header, _, err := split(content)
	if err != nil {
		return nil, err
	}
	_, _, shape, err := parseHeader(header)
	return shape, err
}

// holds reports whether an array has a number of elements. The product of its axes may overflow.
func holds(shape []int, numbers int) bool {
	for _, n := range shape {
		if n < 1 || numbers%n != 0 {
			return false
		}
		numbers /= n
	}
	return numbers == 1
}

func split(content []byte) (header, data []byte, err error) {
	rest, found := bytes.CutPrefix(content, []byte(magic))
	if !found || len(rest) < 6 {
		return nil, nil, errors.New("not a NumPy array file: write it with numpy.save")
	}
	length, start := uint64(binary.LittleEndian.Uint16(rest[2:])), uint64(4)
	switch major := rest[0]; major {
	case 1:
	case 2, 3:
		length, start = uint64(binary.LittleEndian.Uint32(rest[2:])), 6
	default:
		return nil, nil, fmt.Errorf("the file has version %d of the NumPy format:"+
			" only 1, 2 and 3 can be read", major)
	}
	if start+length > uint64(len(rest)) {
		return nil, nil, errors.New("the file ends within the header of the array: is it truncated?")
	}
	return rest[start : start+length], rest[start+length:], nil
}

var (
	kindPattern  = regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`)
	orderPattern = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	shapePattern = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([^)]*)\)`)
)

func parseHeader(header []byte) (kind string, columnOrder bool, shape []int, err error) {
	kindMatch, orderMatch := kindPattern.FindSubmatch(header), orderPattern.FindSubmatch(header)
	shapeMatch := shapePattern.FindSubmatch(header)
	if kindMatch == nil || orderMatch == nil || shapeMatch == nil {
		return "", false, nil, errors.New("the header of the array lacks a plain descr," +
			" fortran_order or shape: write it with numpy.save")
	}
	for text := range strings.SplitSeq(string(shapeMatch[1]), ",") {
		text = strings.TrimSuffix(strings.TrimSpace(text), "L") // Python 2 wrote 12L
		if text == "" {                                         // after the last comma
			continue
		}
		length, err := strconv.Atoi(text)
		if err != nil {
			return "", false, nil, fmt.Errorf(
				"the array has a length of %q in its shape: write it with numpy.save", text)
		}
		shape = append(shape, length)
	}
	return string(kindMatch[1]), string(orderMatch[1]) == "True", shape, nil
}
