package kge_test

import (
	"encoding/binary"
	"fmt"
)

const npyMagic = "\x93NUMPY"

// npyFile is an array file as another program may have written it; data is anything of a
// fixed size.
func npyFile(major byte, header string, data any) []byte {
	content := append([]byte(npyMagic), major, 0)
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

func npyHeader(kind, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, order, shape)
}
