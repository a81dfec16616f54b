package torchfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// mark separates the items of a container on the stack from those below.
type mark struct{}

// machine executes the operations of a pickle, see Lib/pickletools.py of Python. Strings, numbers
// and containers are made here, and calls in calls.go.
type machine struct {
	file   io.ReaderAt
	at     int64 // of the next operation
	end    int64
	start  int64
	in     *bufio.Reader // at that place
	stack  []any
	memo   map[int]any
	accept []string
	load   loader
	copied int // bytes, see spend
}

// The bytes of the number, index or length after each operation that has one.
var (
	numberBytes = map[byte]uint64{'K': 1, 'M': 2, 'J': 4, 'G': 8}
	indexBytes  = map[byte]uint64{'q': 1, 'r': 4, 'h': 1, 'j': 4}
	lengthBytes = map[byte]uint64{
		'X': 4, '\x8c': 1, '\x8d': 8, 'U': 1, 'T': 4, 'B': 4, 'C': 1, '\x8e': 8, '\x96': 8,
	}
)

var errTruncated = errors.New("the pickle ends too early: is the file complete?")

// unpickle reads an object between two offsets of a file, and returns the offset after its pickle.
func unpickle(
	file io.ReaderAt, start, end int64, accept []string, load loader,
) (value any, after int64, err error) {
	m := &machine{
		file: file, at: start, start: start, end: end, in: bufio.NewReader(nil),
		memo: map[int]any{}, accept: accept, load: load,
	}
	m.seek(start)
	for {
		operation, err := m.take(1)
		if err != nil {
			return nil, 0, err
		}
		if operation[0] == '.' {
			value, err := m.pop()
			return value, m.at, err
		}
		if err := m.execute(operation[0]); err != nil {
			return nil, 0, err
		}
	}
}

// seek continues at an offset.
func (m *machine) seek(to int64) {
	m.at = to
	m.in.Reset(io.NewSectionReader(m.file, to, m.end-to))
}

// take returns the next n bytes, which are valid until the next operation is read.
func (m *machine) take(n uint64) (taken []byte, err error) {
	if n > uint64(m.end-m.at) {
		return nil, errTruncated
	}
	if n <= uint64(m.in.Size()) {
		if taken, err = m.in.Peek(int(n)); err == nil {
			_, err = m.in.Discard(int(n))
		}
	} else {
		taken = make([]byte, n)
		_, err = io.ReadFull(m.in, taken)
	}
	m.at += int64(n)
	return taken, err
}

// takeNumber returns the next unsigned number of a number of bytes.
func (m *machine) takeNumber(size uint64) (number uint64, err error) {
	content, err := m.take(size)
	for i, b := range content {
		number |= uint64(b) << (8 * i)
	}
	return number, err
}

// takeSized returns bytes that follow their number.
func (m *machine) takeSized(size uint64) ([]byte, error) {
	n, err := m.takeNumber(size)
	if err != nil {
		return nil, err
	}
	return m.take(n)
}

// takeLine returns the bytes before the next line end.
func (m *machine) takeLine() (string, error) {
	line, err := m.in.ReadSlice('\n') // names of classes are short
	if err != nil {
		return "", errTruncated
	}
	m.at += int64(len(line))
	return string(line[:len(line)-1]), nil
}

func (m *machine) push(value any) { m.stack = append(m.stack, value) }

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errors.New("the pickle is damaged: its stack is empty")
	}
	value := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return value, nil
}

// popMark returns the values after the last mark and removes them.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if m.stack[i] == (mark{}) {
			items := slices.Clone(m.stack[i+1:])
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errors.New("the pickle is damaged: a mark is missing")
}

// popN returns the last n values and removes them.
func (m *machine) popN(n int) ([]any, error) {
	if len(m.stack) < n {
		return nil, errors.New("the pickle is damaged: its stack is too short")
	}
	items := slices.Clone(m.stack[len(m.stack)-n:])
	m.stack = m.stack[:len(m.stack)-n]
	return items, nil
}

// execute executes one operation.
func (m *machine) execute(operation byte) error {
	switch operation {
	case '(':
		m.push(mark{})
	case 'N':
		m.push(nil)
	case '\x88', '\x89':
		m.push(operation == '\x88')
	case ')':
		m.push(Tuple{})
	case ']', '\x8f': // a list, a set
		m.push(&List{})
	case '}':
		m.push(&Dict{})
	case '0':
		_, err := m.pop()
		return err
	case '\x80': // protocol
		_, err := m.take(1)
		return err
	case '\x95': // frame
		_, err := m.take(8)
		return err
	case 'K', 'M', 'J', '\x8a', 'G':
		return m.number(operation)
	case 'X', '\x8c', '\x8d', 'U', 'T', 'B', 'C', '\x8e', '\x96':
		return m.text(operation)
	case 'q', 'r', '\x94', 'h', 'j':
		return m.remember(operation)
	case '\x85', '\x86', '\x87', 't', '\x91':
		return m.tuple(operation)
	case 'a', 'e', '\x90', 's', 'u':
		return m.add(operation)
	case 'c', '\x93', 'Q', 'R', '\x81', '\x92', 'b':
		return m.call(operation)
	default:
		return fmt.Errorf("the pickle has the operation %q, which torch.save does not write",
			operation)
	}
	return nil
}

// number pushes a number.
func (m *machine) number(operation byte) error {
	if operation == '\x8a' { // an integer of any length
		content, err := m.takeSized(1)
		if err != nil {
			return err
		}
		if len(content) > 8 { // the magic of old files, for example
			m.push(string(content))
			return nil
		}
		var number int64
		for i, b := range content {
			number |= int64(b) << (8 * i)
		}
		if n := len(content); n > 0 && n < 8 && content[n-1] >= 128 {
			number -= 1 << (8 * n)
		}
		m.push(number)
		return nil
	}
	content, err := m.take(numberBytes[operation])
	if err != nil {
		return err
	}
	switch operation {
	case 'K':
		m.push(int64(content[0]))
	case 'M':
		m.push(int64(binary.LittleEndian.Uint16(content)))
	case 'J':
		m.push(int64(int32(binary.LittleEndian.Uint32(content))))
	case 'G':
		m.push(math.Float64frombits(binary.BigEndian.Uint64(content)))
	}
	return nil
}

// text pushes a string or bytes.
func (m *machine) text(operation byte) error {
	n, err := m.takeNumber(lengthBytes[operation])
	if err != nil {
		return err
	}
	isText := !slices.Contains([]byte("BC\x8e\x96"), operation)
	if n > longest && n <= uint64(m.end-m.at) {
		m.push(&blob{io.NewSectionReader(m.file, m.at, int64(n)), isText})
		m.seek(m.at + int64(n))
		return nil
	}
	content, err := m.take(n)
	if err != nil {
		return err
	}
	if isText {
		m.push(string(content))
	} else {
		m.push(slices.Clone(content))
	}
	return nil
}

// remember stores the last value in the memo, or pushes one of it.
func (m *machine) remember(operation byte) error {
	index, err := m.takeNumber(indexBytes[operation])
	if err != nil {
		return err
	}
	if operation == 'h' || operation == 'j' {
		value, found := m.memo[int(index)]
		if !found {
			return fmt.Errorf("the pickle is damaged: it has no value %d", index)
		}
		m.push(value)
		return nil
	}
	value, err := m.pop()
	if err != nil {
		return err
	}
	if operation == '\x94' {
		index = uint64(len(m.memo))
	}
	m.memo[int(index)] = value
	m.push(value)
	return nil
}

// tuple pushes a tuple, or a frozen set, of the last values.
func (m *machine) tuple(operation byte) (err error) {
	var items []any
	switch operation {
	case '\x85', '\x86', '\x87':
		items, err = m.popN(int(operation-'\x85') + 1)
	default:
		items, err = m.popMark()
	}
	if err != nil {
		return err
	}
	m.push(Tuple(items))
	return nil
}

// add adds the last values to the container below them.
func (m *machine) add(operation byte) (err error) {
	var items []any
	switch operation {
	case 'a':
		items, err = m.popN(1)
	case 's':
		items, err = m.popN(2)
	default:
		items, err = m.popMark()
	}
	if err != nil {
		return err
	}
	container, err := m.pop()
	if err != nil {
		return err
	}
	m.push(container)
	isPairs := operation == 's' || operation == 'u'
	switch c := container.(type) {
	case *List:
		if isPairs {
			return errors.New("the pickle is damaged: a list has keys")
		}
		c.Items = append(c.Items, items...)
	case *Dict:
		if !isPairs || len(items)%2 != 0 {
			return errors.New("the pickle is damaged: a key of a dictionary has no value")
		}
		for i := 0; i < len(items); i += 2 {
			c.Set(items[i], items[i+1])
		}
	case *Object: // such as a subclass of a dictionary: only attributes are kept
	default:
		return errors.New("the pickle is damaged: a value that is no container gets items")
	}
	return nil
}
