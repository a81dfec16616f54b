package torchfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// known is a class or function that this package can replace.
type known string

// dtype is a type of numbers of NumPy.
type dtype struct {
	kind  string
	width int // of a text, in characters; otherwise 0
}

// storageTypes has the types of numbers of the storages of PyTorch.
var storageTypes = map[known]string{
	"torch.DoubleStorage": "float64", "torch.FloatStorage": "float32",
	"torch.HalfStorage": "float16", "torch.BFloat16Storage": "bfloat16",
	"torch.LongStorage": "int64", "torch.IntStorage": "int32", "torch.ShortStorage": "int16",
	"torch.CharStorage": "int8", "torch.ByteStorage": "uint8", "torch.BoolStorage": "bool",
}

// dtypes has the types of numbers of NumPy.
var dtypes = map[string]string{
	"f8": "float64", "f4": "float32", "f2": "float16", "i8": "int64", "i4": "int32",
	"i2": "int16", "i1": "int8", "u1": "uint8", "b1": "bool",
}

// renamed has modules with two names: of NumPy before version 2, and of Python 2, which protocol 2
// of pickles writes.
var renamed = strings.NewReplacer("numpy._core", "numpy.core", "__builtin__", "builtins")

// find returns a class or function by name, or an error if it is neither known nor accepted.
func (m *machine) find(module, name string) (any, error) {
	if err := m.spend(len(module) + len(name)); err != nil {
		return nil, err
	}
	full := renamed.Replace(module) + "." + name
	switch full {
	case "collections.OrderedDict", "torch.Size", "_codecs.encode", "builtins.set",
		"torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_parameter",
		"numpy.core.multiarray._reconstruct", "numpy.core.numeric._frombuffer",
		"numpy.core.multiarray.scalar", "numpy.ndarray", "numpy.dtype":
		return known(full), nil
	}
	if storageTypes[known(full)] != "" {
		return known(full), nil
	}
	for _, accepted := range m.accept {
		if full == accepted || strings.HasSuffix(accepted, ".") && strings.HasPrefix(full, accepted) {
			return &Object{Class: full}, nil
		}
	}
	return nil, fmt.Errorf("the file has an object of the class %q: only tensors and plain "+
		"containers are read; in Python, save them alone: torch.save(model.state_dict(), FILE)",
		module+"."+name)
}

// call executes an operation that looks up, calls or builds.
func (m *machine) call(operation byte) error {
	switch operation {
	case 'c':
		module, err := m.takeLine()
		if err != nil {
			return err
		}
		name, err := m.takeLine()
		if err != nil {
			return err
		}
		return m.pushResult(m.find(module, name))
	case 'Q':
		id, err := m.pop()
		if err != nil {
			return err
		}
		return m.pushResult(m.persistent(id))
	case '\x92': // a class with arguments and keyword arguments
		if _, err := m.pop(); err != nil {
			return err
		}
	}
	pair, err := m.popN(2)
	if err != nil {
		return err
	}
	switch operation {
	case '\x93':
		module, isText := pair[0].(string)
		name, isName := pair[1].(string)
		if !isText || !isName {
			return errors.New("the pickle is damaged: the name of a class is no text")
		}
		return m.pushResult(m.find(module, name))
	case 'b':
		return m.pushResult(m.build(pair[0], pair[1]))
	}
	arguments, isTuple := pair[1].(Tuple)
	if !isTuple {
		return errors.New("the pickle is damaged: arguments are no tuple")
	}
	return m.pushResult(m.apply(pair[0], arguments))
}

// spend reports an error if calls copy far more bytes than the pickle has. They copy values of the
// memo, which take two bytes each time that they are used.
func (m *machine) spend(bytes int) error {
	const most = 16 // copied bytes per byte of the pickle; PyTorch's files need less than 4
	if m.copied += bytes; m.copied > most*int(m.end-m.start) {
		return errors.New("the pickle is damaged: it repeats values to be far larger in memory than " +
			"its file")
	}
	return nil
}

func (m *machine) pushResult(value any, err error) error {
	if err == nil {
		m.push(value)
	}
	return err
}

// persistent returns the storage of a persistent id, the tuple
// ("storage", class, key, device, number of numbers); old files add a view, which is None.
func (m *machine) persistent(id any) (any, error) {
	fields, _ := id.(Tuple)
	if len(fields) == 4 && fields[0] == "module" { // the source text of a class in old files
		return fields[1], nil
	}
	if m.load == nil || len(fields) < 5 || fields[0] != "storage" {
		return nil, errors.New("the file has an unknown reference to a storage")
	}
	class, _ := fields[1].(known)
	key, isKey := fields[2].(string)
	numbers, isNumber := fields[4].(int64)
	kind := storageTypes[class]
	if kind == "" || !isKey || !isNumber || numbers < 0 {
		return nil, errors.New("the file has an unknown reference to a storage")
	}
	if len(fields) > 5 && fields[5] != nil {
		return nil, errors.New("the file has views of storages from before PyTorch 0.4")
	}
	return m.load(kind, key, int(numbers))
}

// apply does what the call of a function or class does.
func (m *machine) apply(function any, arguments Tuple) (any, error) {
	if object, isObject := function.(*Object); isObject {
		return &Object{Class: object.Class, Arguments: arguments}, nil
	}
	name, _ := function.(known)
	fail := fmt.Errorf("the pickle is damaged: %s has wrong arguments", name)
	argument := func(i int) any {
		if i < len(arguments) {
			return arguments[i]
		}
		return nil
	}
	switch name {
	case "collections.OrderedDict":
		d := &Dict{}
		pairs, _ := argument(0).(*List) // as written by Python 2
		if pairs == nil {
			return d, nil
		}
		const bytesPerPair = 64
		if err := m.spend(bytesPerPair * len(pairs.Items)); err != nil {
			return nil, err
		}
		for _, pair := range pairs.Items {
			p, _ := pair.(*List)
			if p == nil || len(p.Items) != 2 {
				return nil, fail
			}
			d.Set(p.Items[0], p.Items[1])
		}
		return d, nil
	case "torch.Size", "builtins.set":
		return argument(0), nil
	case "_codecs.encode": // bytes in protocol 2
		if b, isBlob := argument(0).(*blob); isBlob && b.isText && argument(1) == "latin1" {
			return encoded{b}, nil
		}
		text, isText := argument(0).(string)
		if !isText || argument(1) != "latin1" {
			return nil, fail
		}
		if err := m.spend(len(text)); err != nil {
			return nil, err
		}
		content := make([]byte, 0, utf8.RuneCountInString(text))
		for _, r := range text {
			content = append(content, byte(r))
		}
		return content, nil
	case "torch._utils._rebuild_parameter":
		return argument(0), nil
	case "torch._utils._rebuild_tensor_v2":
		s, isStorage := argument(0).(*storage)
		offset, isOffset := argument(1).(int64)
		shape, isShape := m.integers(argument(2))
		strides, isStrides := m.integers(argument(3))
		if !isStorage || !isOffset || !isShape || !isStrides {
			return nil, fail
		}
		return newTensor(s, int(offset), shape, strides)
	case "numpy.core.multiarray._reconstruct":
		return &Tensor{}, nil // its state follows
	case "numpy.dtype":
		code, _ := argument(0).(string)
		if width, isText := strings.CutPrefix(code, "U"); isText {
			characters, err := strconv.ParseUint(width, 10, 16)
			if err != nil || characters == 0 {
				return nil, fmt.Errorf("an array has texts of the type %q of NumPy", code)
			}
			return &dtype{"utf32", int(characters)}, nil
		}
		if dtypes[code] == "" {
			return nil, fmt.Errorf("an array has numbers of the type %q of NumPy: "+
				"only floating-point numbers and integers can be read", code)
		}
		return &dtype{kind: dtypes[code]}, nil
	case "numpy.core.numeric._frombuffer":
		d, isType := argument(1).(*dtype)
		shape, isShape := m.integers(argument(2))
		if !isType || !isShape {
			return nil, fail
		}
		return newArray(d, argument(0), shape, argument(3) == "F")
	case "numpy.core.multiarray.scalar":
		d, isType := argument(0).(*dtype)
		if !isType {
			return nil, fail
		}
		return newArray(d, argument(1), nil, false)
	}
	return nil, errors.New("the pickle is damaged: it calls a value that is no function")
}

// build sets the state of an object.
func (m *machine) build(value, state any) (any, error) {
	fields, _ := state.(Tuple)
	switch v := value.(type) {
	case *Object:
		v.State = state
		if len(fields) == 2 && fields[0] == nil { // attributes of slots
			v.State = fields[1]
		}
	case *dtype: // version, byte order, ...
		if len(fields) < 2 || fields[1] == ">" {
			return nil, errors.New("an array is big-endian: only little-endian ones can be read")
		}
	case *Tensor: // version, shape, type, is in column order, bytes
		if len(fields) != 5 {
			return nil, errors.New("the pickle is damaged: an array has a wrong state")
		}
		shape, isShape := m.integers(fields[1])
		d, isType := fields[2].(*dtype)
		if !isShape || !isType {
			return nil, errors.New("the pickle is damaged: an array has a wrong state")
		}
		tensor, err := newArray(d, fields[4], shape, fields[3] == true)
		if err != nil {
			return nil, err
		}
		*v = *tensor // what was stored in the memo is this tensor
	}
	return value, nil
}

// encoded is a long text as bytes in Latin-1.
type encoded struct{ *blob }

// newArray returns an array of NumPy as a tensor. That of an array of texts has another axis, for
// their characters.
func newArray(d *dtype, content any, shape []int, columnOrder bool) (*Tensor, error) {
	var numbers io.ReaderAt
	size := 0
	switch c := content.(type) {
	case []byte:
		numbers, size = bytes.NewReader(c), len(c)
	case encoded: // each byte takes one or two
		numbers, size = &latin1{text: c.section}, int(c.section.Size())
	case *blob:
		if numbers, size = c.section, int(c.section.Size()); c.isText {
			return nil, errors.New("the pickle is damaged: an array has a text as content")
		}
	default:
		return nil, errors.New("the pickle is damaged: an array has no content")
	}
	if d.width > 0 && columnOrder {
		return nil, errors.New("an array of texts is in the order of columns")
	}
	if d.kind == "utf32" {
		shape = append(slices.Clone(shape), d.width)
	}
	strides := make([]int, len(shape))
	step := 1
	for i := range shape {
		axis := len(shape) - 1 - i
		if columnOrder {
			axis = i
		}
		strides[axis] = step
		step *= max(1, shape[axis])
	}
	s := &storage{d.kind, size / sizes[d.kind], numbers}
	return newTensor(s, 0, shape, strides)
}

// integers returns the numbers of a tuple.
func (m *machine) integers(value any) ([]int, bool) {
	if number, isNumber := value.(int64); isNumber {
		return []int{int(number)}, true
	}
	tuple, isTuple := value.(Tuple)
	const bytesPerNumber = 8
	if m.spend(bytesPerNumber*len(tuple)) != nil {
		return nil, false
	}
	numbers := make([]int, len(tuple))
	for i, item := range tuple {
		number, isNumber := item.(int64)
		if !isNumber {
			return nil, false
		}
		numbers[i] = int(number)
	}
	return numbers, isTuple
}
