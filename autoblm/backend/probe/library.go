package probe

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// entryPoint is the function that makes a shared library a PJRT plugin.
const entryPoint = "GetPjrtApi"

const (
	nameAnother  = "name a PJRT plugin by its absolute path, as xla:/opt/plugins/pjrt_c_api_cpu_plugin.so, or install one with autoblm backend install cpu or cuda"
	installAgain = "install it again"
)

// processors are those that XLA runs on.
var processors = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// machO is how a library for macOS on arm64 begins.
var machO = []byte{0xcf, 0xfa, 0xed, 0xfe}

// examine says why a file is no plugin that could be loaded here, or nil. What
// goes wrong only in loading it shows only then.
func (m Machine) examine(file string) *Problem {
	if strings.Contains(file, ",") {
		return &Problem{file + " has a comma in its path, where GoMLX begins its options", "link to it from a path without commas"}
	}
	f, err := m.Files.Open(inFS(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Problem{file + " does not exist", nameAnother}
	case err != nil:
		return &Problem{fmt.Sprintf("%s cannot be read (%v)", file, errors.Unwrap(err)), "make it readable"}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return &Problem{file + " is no file", nameAnother}
	}
	content, ok := f.(io.ReaderAt)
	if !ok {
		return nil // a file system that tells no more
	}
	var magic [4]byte
	if _, err := content.ReadAt(magic[:], 0); err != nil {
		return &Problem{file + " is no shared library", nameAnother}
	}
	if m.System == "darwin" && bytes.Equal(magic[:], machO) {
		return nil
	}
	if m.System == "darwin" || string(magic[:]) != elf.ELFMAG {
		return &Problem{file + " is no shared library of this system", nameAnother}
	}
	return m.examineELF(file, content)
}

func (m Machine) examineELF(file string, content io.ReaderAt) *Problem {
	library, err := elf.NewFile(content)
	if err != nil {
		return &Problem{fmt.Sprintf("%s is cut off or damaged (%v)", file, err), installAgain}
	}
	if want, known := processors[m.Processor]; known && library.Machine != want {
		return &Problem{fmt.Sprintf("%s is for another processor (%v) than this one (%v)", file, library.Machine, want), nameAnother}
	}
	symbols, err := library.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return &Problem{fmt.Sprintf("%s is cut off or damaged (%v)", file, err), installAgain}
	}
	defined := func(s elf.Symbol) bool { return s.Name == entryPoint && s.Section != elf.SHN_UNDEF }
	if !slices.ContainsFunc(symbols, defined) {
		return &Problem{file + " is no PJRT plugin: it has no function " + entryPoint, nameAnother}
	}
	return nil
}
