package torchfile

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// open opens a file that testdata/write.py wrote.
func open(t *testing.T, name string, accept ...string) *Dict {
	t.Helper()
	file, err := Open(filepath.Join("testdata", name), accept...)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return file.Value.(*Dict)
}

// numbers reads a value that must be a tensor.
func numbers(t *testing.T, value any) []float64 {
	t.Helper()
	tensor, isTensor := value.(*Tensor)
	if !isTensor {
		t.Fatalf("%T is not a tensor", value)
	}
	read, err := tensor.Float64()
	require.NoError(t, err)
	return read
}

// TestReadsWhatPyTorchWrites reads files of all kinds, also with arrays that stay in the file.
func TestReadsWhatPyTorchWrites(t *testing.T) {
	usual := longest
	defer func() { longest = usual }()
	for i, name := range []string{
		"zip.pt", "legacy.pt", "protocol4.pt", "protocol5.pt",
		"zip.pt", "legacy.pt", "protocol4.pt", "protocol5.pt",
	} {
		if i == 4 {
			longest = 23 // longer than the names of classes
		}
		t.Run(name, func(t *testing.T) {
			saved := open(t, name)
			tensors := saved.Get("tensors").(*Dict)
			half := tensors.Get("halves").(*Tensor)
			want := map[string][]float64{
				"bool":       {1, 0},
				"window":     {8, 9, 10, 14, 15, 16},
				"steps":      {0, 3, 12, 15},
				"empty":      nil,
				"scalar":     {-2.5},
				"halves":     {math.Ldexp(1, -24), -65504, math.Inf(1), 1638.0 / 16384},
				"transposed": {0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9, 15, 21, 4, 10, 16, 22, 5, 11, 17, 23},
			}
			for i, key := range tensors.Keys {
				name := key.(string)
				if want[name] == nil && name != "empty" {
					want[name] = []float64{0, 1, 2, 100, 64, 3} // the types
				}
				if got := numbers(t, tensors.Values[i]); !reflect.DeepEqual(got, want[name]) {
					t.Errorf("%s: %v, want %v", name, got, want[name])
				}
			}
			if len(tensors.Keys) != 16 || half.Type != "float16" || !half.IsFloat() {
				t.Errorf("%d tensors, %s", len(tensors.Keys), half.Type)
			}
			if _, err := half.Int64(); err == nil {
				t.Error("floating-point numbers are read as integers")
			}
			if shape := tensors.Get("transposed").(*Tensor).Shape; fmt.Sprint(shape) != "[6 4]" {
				t.Error(shape)
			}
			wantList := []any{
				int64(1), int64(-1), int64(300), int64(70000), int64(-1 << 40), 2.5, nil, true,
				"Köln \"α\"\n", Tuple{int64(1), Tuple{int64(2), int64(3)}, Tuple{}},
			}
			if got := saved.Get("list").(*List).Items; !reflect.DeepEqual(got, wantList) {
				t.Errorf("%#v", got)
			}
			dict := saved.Get("dict").(*Dict)
			deep := dict.Get("inner").(*Dict).Get("deep").(*List).Items
			if dict.Keys[0] != int64(7) || dict.Values[0] != "seven" ||
				!reflect.DeepEqual(numbers(t, deep[0]), want["window"]) {
				t.Errorf("%v", dict)
			}
			integers, err := saved.Get("array").(*Tensor).Int64()
			if err != nil || !reflect.DeepEqual(integers, []int64{0, 1, 2, 3, 4, 5}) {
				t.Error(integers, err)
			}
			floats, err := saved.Get("columns").(*Tensor).Float32()
			if err != nil || !reflect.DeepEqual(floats, []float32{0, 1, 2, 3, 4, 5}) {
				t.Error(floats, err)
			}
			weight := saved.Get("state").(*Dict).Get("weight")
			if !reflect.DeepEqual(numbers(t, weight), []float64{1, 2}) ||
				!reflect.DeepEqual(numbers(t, saved.Get("parameter")), []float64{1, 1}) {
				t.Error("the weights of modules differ")
			}
		})
	}
}

func TestClassesAreRefused(t *testing.T) {
	for name, class := range map[string]string{
		"harmful.pt": "posix.system", "module.pt": "torch.nn.modules.sparse.Embedding",
	} {
		_, err := Open(filepath.Join("testdata", name))
		require.Error(t, err, class)
	}
	if _, err := os.Stat("executed"); err == nil {
		t.Error("the file executed a command")
	}
}

func TestAcceptedClassesAreNotExecuted(t *testing.T) {
	command := open(t, "harmful.pt", "posix.system").Get("x").(*Object)
	if command.Class != "posix.system" || command.Arguments[0] != "touch executed" {
		t.Errorf("%v", command)
	}
	module := open(t, "module.pt", "torch.nn.").Get("module").(*Object)
	parameters := module.Attribute("_parameters").(*Dict)
	if got := numbers(t, parameters.Get("weight")); len(got) != 6 {
		t.Error(got)
	}
}

func TestBadFiles(t *testing.T) {
	for name, want := range map[string]string{
		"expanded.pt": "repeats them", "write.py": "not a file of torch.save", "absent": "no such file",
		"": "not a regular file",
	} {
		_, err := Open(filepath.Join("testdata", name))
		require.Error(t, err, want)
	}
	legacy, err := os.ReadFile("testdata/legacy.pt")
	require.NoError(t, err)
	for size := 0; size < len(legacy); size += 7 {
		if _, err := Read(bytes.NewReader(legacy[:size]), int64(size)); err == nil {
			t.Fatalf("%d of %d bytes are enough", size, len(legacy))
		}
	}
}

// TestWrongShapes checks shapes that no memory has, although they contain a zero.
func TestWrongShapes(t *testing.T) {
	for _, shape := range [][]int{{1 << 60, 0}, {0, -1}} {
		if tensor, err := newTensor(&storage{kind: "utf32"}, 0, shape, []int{0, 1}); err == nil {
			t.Errorf("%v is accepted: %v", shape, tensor)
		}
	}
}

// TestLatin1 checks bytes that are texts in a pickle of protocol 2, in any order of their parts.
func TestLatin1(t *testing.T) {
	want := make([]byte, 1000)
	text := ""
	for i := range want {
		want[i] = byte(i * 7)
		text += string(rune(want[i]))
	}
	section := func(text string) *io.SectionReader {
		return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
	}
	in := &latin1{text: section(text)}
	for _, part := range [][2]int{{0, 10}, {10, 500}, {700, 900}, {300, 800}, {0, 1000}} {
		got := make([]byte, part[1]-part[0])
		if n, err := in.ReadAt(got, int64(part[0])); n != len(got) || err != nil ||
			!bytes.Equal(got, want[part[0]:part[1]]) {
			t.Errorf("%v: %d, %v, or others", part, n, err)
		}
	}
	if n, err := in.ReadAt(make([]byte, 10), 995); n != 5 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
	for _, text := range []string{"ā", "\xc2", "\xc2a", "\xff"} {
		if _, err := (&latin1{text: section(text)}).ReadAt(make([]byte, 1), 0); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestRepeatedCopies checks that calls on the same values do not use memory that is quadratic in the
// size of the pickle.
func TestRepeatedCopies(t *testing.T) {
	const long = 1 << 16
	text := "X\x00\x00\x01\x00" + strings.Repeat("a", long) + "q\x00"
	for name, parts := range map[string][2]string{
		"bytes": {text + "X\x06\x00\x00\x00latin1q\x01\x86q\x02c_codecs\nencode\nq\x03",
			"h\x03h\x02R"},
		"dictionary": {"](" + strings.Repeat("]K\x01aK\x02a", long/8) + "e\x85q\x02" +
			"ccollections\nOrderedDict\nq\x03", "h\x03h\x02R"},
		"class": {strings.Replace(text, "aa", "a.", 1), "h\x00h\x00\x93"},
	} {
		for _, times := range []int{1, 1000} {
			pickle := parts[0] + strings.Repeat(parts[1], times) + "."
			_, _, err := unpickle(strings.NewReader(pickle), 0, int64(len(pickle)), []string{"a."}, nil)
			isRefused := err != nil && strings.Contains(err.Error(), "repeats values")
			if isRefused != (times > 1) || !isRefused && err != nil {
				t.Errorf("%s, %d times: %v", name, times, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	err := fs.WalkDir(os.DirFS("testdata"), ".", func(name string, _ fs.DirEntry, _ error) error {
		if !strings.HasSuffix(name, ".pt") {
			return nil
		}
		content, err := os.ReadFile(filepath.Join("testdata", name))
		f.Add(content)
		return err
	})
	require.NoError(f, err)
	f.Fuzz(func(_ *testing.T, content []byte) {
		value, err := Read(bytes.NewReader(content), int64(len(content)), "torch.nn.")
		if err != nil {
			return
		}
		if dict, isDict := value.(*Dict); isDict {
			for _, value := range dict.Values {
				if tensor, isTensor := value.(*Tensor); isTensor {
					tensor.Float64()
					tensor.Int64()
					tensor.Strings()
					if row, err := tensor.Row(0); err == nil {
						row.Int64()
					}
				}
			}
		}
	})
}

// FuzzUnpickle reaches the operations faster than FuzzRead, which must guess checksums.
func FuzzUnpickle(f *testing.F) {
	f.Add([]byte("\x80\x02}q\x00X\x01\x00\x00\x00aq\x01K\x01s."))
	f.Add([]byte("\x80\x02]q\x00(K\x01G\x00\x00\x00\x00\x00\x00\x00\x00N\x88e."))
	f.Add([]byte("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n" +
		"FloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQK\x00K\x02K\x03\x86K\x03K\x01" +
		"\x86\x89NtR."))
	f.Fuzz(func(_ *testing.T, content []byte) {
		load := func(kind, _ string, numbers int) (*storage, error) {
			number := min(numbers, 1000)
			return &storage{kind, number, bytes.NewReader(make([]byte, number*sizes[kind]))}, nil
		}
		value, _, err := unpickle(bytes.NewReader(content), 0, int64(len(content)), []string{"a."}, load)
		if tensor, isTensor := value.(*Tensor); isTensor && err == nil {
			tensor.Float64()
			tensor.Int64()
		}
	})
}
