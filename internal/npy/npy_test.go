package npy

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/npy/npytest"
	"github.com/autoblm/autoblm-go/internal/require"
	"pgregory.net/rapid"
)

// Both files are numpy.arange(6, dtype='<f4').reshape(2, 3) as numpy.save wrote
// them years ago, row by row and column by column.
const (
	numpyRows = "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n" +
		"\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40"
	numpyColumns = "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }           \n" +
		"\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40"
)

// file and header make files as other programs write them.
var file, header = npytest.File, npytest.Header

func TestEncode(t *testing.T) {
	table := []float32{1, -2.5, float32(math.Pi), 0, 5, 6}
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	header += strings.Repeat(" ", 128-10-1-len(header)) + "\n" // the numbers begin at byte 128
	if got, want := Encode(table, 2, 3), file(1, header, table); !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadNumpy(t *testing.T) {
	got, err := Read([]byte(numpyRows), 2, 3)
	if err != nil || !slices.Equal(got, []float32{0, 1, 2, 3, 4, 5}) {
		t.Errorf("%v, %v", got, err)
	}
	_, err = Read([]byte(numpyColumns), 2, 3)
	require.Error(t, err, "column order", "numpy.ascontiguousarray")
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 300).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "columns")
		table := rapid.SliceOfN(rapid.Float32(), rows*columns, rows*columns).Draw(t, "table")
		got, err := Read(Encode(table, rows, columns), rows, columns)
		if err != nil || !slices.Equal(got, table) {
			t.Fatalf("error %v, or other numbers", err)
		}
	})
}

func TestHeaderForms(t *testing.T) {
	want := []float32{1, 2, -3, 0.5}
	narrow, wide := want, []float64{1, 2, -3, 0.5}
	for name, content := range map[string][]byte{
		"version 2": file(2, header("<f4", "False", "(2, 2)"), narrow),
		"version 3": file(3, header("<f4", "False", "(2, 2)"), narrow),
		"float64":   file(1, header("<f8", "False", "(2, 2)"), wide),
		"no spaces": file(1, "{'descr':'<f4','fortran_order':False,'shape':(2,2)}", narrow),
		"another order": file(1, "{'shape': (2, 2,), 'fortran_order': False, 'descr': '<f4'}  \n",
			narrow),
		"Python 2": file(1, header("<f4", "False", "(2L, 2L)"), narrow),
		"double quotes": file(1, `{"descr": "<f4", "fortran_order": False, "shape": (2, 2), }`,
			narrow),
		"header of 70,000 B": file(2,
			header("<f4", "False", "(2, 2)")+strings.Repeat(" ", 70_000), narrow),
	} {
		if got, err := Read(content, 2, 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	narrow := make([]float32, 4)
	for name, test := range map[string]struct {
		content []byte
		parts   []string
	}{
		"empty file":     {nil, []string{"not a NumPy array file", "numpy.save"}},
		"text":           {[]byte("0.1 0.2\n0.3 0.4\n"), []string{"not a NumPy array file"}},
		"only the magic": {[]byte(magic), []string{"not a NumPy array file"}},
		"version 9":      {file(9, header("<f4", "False", "(2, 2)"), narrow), []string{"version 9"}},
		"cut in header":  {[]byte(numpyRows)[:40], []string{"ends within the header", "truncated"}},
		"long header": {append([]byte(magic), 2, 0, 0xff, 0xff, 0xff, 0xff, '{',
			'}'), []string{"ends within the header"}},
		"cut in numbers": {file(1, header("<f4", "False", "(2, 2)"),
			narrow[:3]), []string{"12 bytes", "shape [2 2]", "truncated"}},
		"cut in a number": {file(1, header("<f4", "False", "(2, 2)"),
			make([]byte, 15)), []string{"15 bytes"}},
		"too many": {file(1, header("<f4", "False", "(2, 2)"),
			make([]float32, 5)), []string{"20 bytes"}},
		"another shape": {file(1, header("<f4", "False", "(4, 1)"),
			narrow), []string{"shape [4 1]", "[2 2]"}},
		"one axis": {file(1, header("<f4", "False", "(4,)"),
			narrow), []string{"shape [4]", "[2 2]"}},
		"three axes": {file(1, header("<f4", "False", "(2, 2, 1)"),
			narrow), []string{"shape [2 2 1]"}},
		"a scalar":       {file(1, header("<f4", "False", "()"), narrow), []string{"shape []"}},
		"shape of words": {file(1, header("<f4", "False", "(two, 2)"), narrow), []string{`"two"`}},
		"integers": {file(1, header("<i4", "False", "(2, 2)"),
			make([]int32, 4)), []string{`"<i4"`, "astype('<f4')"}},
		"float16": {file(1, header("<f2", "False", "(2, 2)"),
			make([]int16, 4)), []string{`"<f2"`, "astype"}},
		"big endian": {file(1, header(">f4", "False", "(2, 2)"),
			narrow), []string{`">f4"`, "astype"}},
		"records": {file(
			1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 2), }\n", narrow,
		), []string{"lacks a plain descr"}},
		"no order": {file(1, "{'descr': '<f4', 'shape': (2, 2), }\n",
			narrow), []string{"fortran_order"}},
		"no newline": {file(1, "", narrow), []string{"header"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(test.content, 2, 2)
			require.Error(t, err, test.parts...)
		})
	}
}

func TestHugeShape(t *testing.T) {
	// The product of rows and columns overflows to 0, or is beyond any memory.
	for _, side := range []int{1 << 32, 1 << 25} {
		content := file(1, header("<f4", "False", fmt.Sprintf("(%d, %d)", side, side)), []float32{})
		_, err := Read(content, side, side)
		require.Error(t, err, "0 bytes of numbers")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(numpyRows), 2, 3)
	f.Add([]byte(numpyColumns), 2, 3)
	f.Add(Encode([]float32{1, 2, 3, 4}, 4, 1), 4, 1)
	f.Add(file(2, header("<f8", "False", "(1, 2)"), []float64{math.NaN(), math.Inf(1)}), 1, 2)
	f.Add(file(3, header("<f4", "False", "(4294967296, 4294967296)"), []float32{}), 1<<32, 1<<32)
	f.Add(file(1, header("<f4", "False", "(99999999999999999999, -1)"), []float32{1}), 1, 1)
	f.Add([]byte(magic+"\x02\x00\xff\xff\xff\xff{}"), 1, 1)
	f.Fuzz(func(t *testing.T, content []byte, rows, columns int) {
		if rows < 1 || columns < 1 { // a model has labels and a dim
			return
		}
		table, err := Read(content, rows, columns)
		if err != nil {
			if table != nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q beside a table of %d", err, len(table))
			}
			return
		}
		if len(table)/columns != rows || len(table)%columns != 0 || 4*len(table) > len(content) {
			t.Fatalf("%d numbers from %d bytes for %d rows of %d", len(table), len(content), rows, columns)
		}
		again, err := Read(Encode(table, rows, columns), rows, columns)
		if err != nil ||
			!slices.EqualFunc(again, table, func(a, b float32) bool { return a == b || a != a && b != b }) {
			t.Fatalf("written and read again: error %v, or other numbers", err)
		}
	})
}

func TestMoreAxes(t *testing.T) {
	table := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	content := Encode(table, 2, 1, 4)
	if got, err := Read(content, 2, 1, 4); err != nil || !slices.Equal(got, table) {
		t.Errorf("%v, %v", got, err)
	}
	_, err := Read(content, 2, 4)
	require.Error(t, err, "shape [2 1 4]", "[2 4]")
}
