package torchfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// sizes has the bytes per number of the types that can be read.
var sizes = map[string]int{
	"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2,
	"int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1,
	"utf32": 4, // a character of a text of NumPy
}

// Tensor is a tensor of PyTorch or an array of NumPy.
type Tensor struct {
	// Type is the name of the type of its numbers in PyTorch, such as "float32" or "int64".
	Type    string
	Shape   []int
	strides []int
	offset  int // of the first number
	storage *storage
}

// newTensor returns a view of a storage, or an error if it leaves the storage.
func newTensor(s *storage, offset int, shape, strides []int) (*Tensor, error) {
	if len(shape) != len(strides) || len(shape) > 64 || offset < 0 || offset > s.number {
		return nil, fmt.Errorf("a tensor has shape %v, strides %v and offset %d",
			shape, strides, offset)
	}
	t := &Tensor{Type: s.kind, Shape: shape, strides: strides, offset: offset, storage: s}
	if slices.ContainsFunc(shape, func(n int) bool { return n < 0 || n > math.MaxInt32 }) {
		return nil, fmt.Errorf("a tensor has shape %v", shape)
	}
	if slices.Contains(shape, 0) {
		return t, nil
	}
	last, count := offset, 1
	for i, n := range shape {
		stride := strides[i]
		// Views that repeat numbers, with stride 0, could be far larger than their file.
		if n < 0 || stride < 0 || n > s.number/count ||
			n > 1 && stride > (s.number-1-last)/(n-1) {
			return nil, fmt.Errorf("a tensor of shape %v and strides %v leaves its storage of %d "+
				"numbers, or repeats them: save its contiguous()", shape, strides, s.number)
		}
		last += (n - 1) * stride
		count *= n
	}
	if last >= s.number {
		return nil, fmt.Errorf("a tensor of shape %v leaves its storage", shape)
	}
	return t, nil
}

// WriteContent writes the form of a tensor and its storage as it is in the file, for a digest.
func (t *Tensor) WriteContent(w io.Writer) error {
	if t.storage == nil {
		return errors.New("an array of the file has no content")
	}
	source := t.storage.bytes
	if l, isText := source.(*latin1); isText {
		source = l.text
	}
	if _, err := fmt.Fprintln(w, t.Type, t.Shape, t.strides, t.offset); err != nil {
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(source, 0, math.MaxInt64))
	return err
}

// Len returns the number of numbers.
func (t *Tensor) Len() int {
	if slices.Contains(t.Shape, 0) {
		return 0
	}
	count := 1
	for _, n := range t.Shape {
		count *= n
	}
	return count
}

// IsFloat reports whether the numbers are floating-point numbers.
func (t *Tensor) IsFloat() bool {
	return t.Type == "float64" || t.Type == "float32" || t.Type == "float16" || t.Type == "bfloat16"
}

// Float64 reads the numbers in row-major order.
func (t *Tensor) Float64() ([]float64, error) { return read(t, t.decoder()) }

// Float32 reads the numbers in row-major order, rounded to float32.
func (t *Tensor) Float32() ([]float32, error) {
	decode := t.decoder()
	return read(t, func(b []byte) float32 { return float32(decode(b)) })
}

// Int64 reads integers in row-major order. Other types are an error.
func (t *Tensor) Int64() ([]int64, error) {
	var decode func([]byte) int64
	switch t.Type {
	case "int64":
		decode = func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
	case "int32":
		decode = func(b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) }
	case "int16":
		decode = func(b []byte) int64 { return int64(int16(binary.LittleEndian.Uint16(b))) }
	case "int8":
		decode = func(b []byte) int64 { return int64(int8(b[0])) }
	case "uint8", "bool":
		decode = func(b []byte) int64 { return int64(b[0]) }
	case "utf32":
		decode = func(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }
	default:
		return nil, fmt.Errorf("the tensor has numbers of type %s, not integers", t.Type)
	}
	return read(t, decode)
}

// Row returns a row of a matrix: the part of the tensor with an index on the first axis.
func (t *Tensor) Row(index int) (*Tensor, error) {
	if len(t.Shape) < 2 || index < 0 || index >= t.Shape[0] {
		return nil, fmt.Errorf("a tensor of shape %v has no row %d", t.Shape, index)
	}
	row := *t
	row.Shape, row.strides = t.Shape[1:], t.strides[1:]
	row.offset += index * t.strides[0]
	return &row, nil
}

// Strings reads an array of texts of NumPy.
func (t *Tensor) Strings() ([]string, error) {
	if t.Type != "utf32" || len(t.Shape) != 2 {
		return nil, fmt.Errorf("the tensor has numbers of type %s, not texts", t.Type)
	}
	characters, err := t.Int64()
	var texts []string
	for at := 0; at < len(characters); at += t.Shape[1] {
		var text []rune
		for _, c := range characters[at : at+t.Shape[1]] {
			if c > 0 { // shorter texts end in zeros
				text = append(text, rune(c))
			}
		}
		texts = append(texts, string(text))
	}
	return texts, err
}

// decoder returns a function that decodes a number.
func (t *Tensor) decoder() func([]byte) float64 {
	switch t.Type {
	case "float64":
		return func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case "float32":
		return func(b []byte) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	case "bfloat16":
		return func(b []byte) float64 {
			bits := uint32(binary.LittleEndian.Uint16(b))
			return float64(math.Float32frombits(bits << 16))
		}
	case "float16":
		return func(b []byte) float64 { return float16(binary.LittleEndian.Uint16(b)) }
	case "int64":
		return func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }
	case "int32":
		return func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }
	case "int16":
		return func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }
	case "int8":
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case "utf32":
		return func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }
	}
	return func(b []byte) float64 { return float64(b[0]) }
}

// float16 returns the value of a number of IEEE 754 half precision.
func float16(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction > 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// read decodes the numbers of a tensor in row-major order.
func read[T any](t *Tensor, decode func([]byte) T) ([]T, error) {
	if t.storage == nil {
		return nil, errors.New("an array of the file has no content")
	}
	count := t.Len()
	if count == 0 {
		return nil, nil
	}
	size := sizes[t.Type]
	last := t.offset
	for i, n := range t.Shape {
		last += (n - 1) * t.strides[i]
	}
	content := make([]byte, (last-t.offset+1)*size)
	if n, err := t.storage.bytes.ReadAt(content, int64(t.offset*size)); n < len(content) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("cannot read a tensor: %w", err)
	}
	numbers := make([]T, 0, count)
	index := make([]int, len(t.Shape))
	at := 0
	for len(numbers) < count {
		numbers = append(numbers, decode(content[at*size:]))
		for axis := len(index) - 1; axis >= 0; axis-- {
			index[axis]++
			at += t.strides[axis]
			if index[axis] < t.Shape[axis] {
				break
			}
			at -= index[axis] * t.strides[axis]
			index[axis] = 0
		}
	}
	return numbers, nil
}
