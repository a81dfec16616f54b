// Package npytest makes array files of NumPy for tests, as other programs write them.
package npytest

import (
	"encoding/binary"
	"fmt"
)

// Magic begins every file.
const Magic = "\x93NUMPY"

// File returns a file with a header. Its data are numbers of a fixed size.
func File(major byte, header string, data any) []byte {
	content := append([]byte(Magic), major, 0)
	if major == 1 {
		content = binary.LittleEndian.AppendUint16(content, uint16(len(header)))
	} else {
		content = binary.LittleEndian.AppendUint32(content, uint32(len(header)))
	}
	content, err := binary.Append(append(content, header...), binary.LittleEndian, data)
	if err != nil {
		panic(err)
	}
	return content
}

// Header returns a header with a kind of numbers, whether columns come first, and a shape.
func Header(kind, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, order, shape)
}
