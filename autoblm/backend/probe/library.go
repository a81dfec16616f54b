package probe

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// entryPoint is the function that each PJRT plugin exports.
const entryPoint = "GetPjrtApi"

const useAnother = "use the absolute path of a PJRT plugin, as in " +
	"xla:/opt/plugins/pjrt_c_api_cpu_plugin.so, or run autoblm backend install cpu or cuda"

// processors has the processors that XLA supports.
var processors = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// examine returns why a file is not a loadable plugin, or nil. Only loading shows further
// problems.
func (m Machine) examine(file string) *Problem {
	if strings.Contains(file, ",") {
		return &Problem{file + " has a comma in its path, where GoMLX expects options",
			"link to it from a path without commas"}
	}
	f, err := m.Files.Open(fsPath(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Problem{file + " does not exist", useAnother}
	case err != nil:
		return &Problem{fmt.Sprintf("%s is unreadable (%v)", file, errors.Unwrap(err)),
			"make it readable"}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return &Problem{file + " is not a file", useAnother}
	}
	content, ok := f.(io.ReaderAt)
	if !ok {
		return nil
	}
	if m.System == "darwin" {
		return nil // only loading shows its problems
	}
	library, err := elf.NewFile(content)
	if err != nil {
		return &Problem{fmt.Sprintf("%s is not a shared library, or damaged (%v)", file, err),
			useAnother}
	}
	if want, known := processors[m.Processor]; known && library.Machine != want {
		return &Problem{fmt.Sprintf("%s is for another processor (%v) than this one (%v)",
			file, library.Machine, want), useAnother}
	}
	symbols, err := library.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return &Problem{fmt.Sprintf("%s is damaged (%v)", file, err), useAnother}
	}
	isEntryPoint := func(s elf.Symbol) bool {
		return s.Name == entryPoint && s.Section != elf.SHN_UNDEF
	}
	if !slices.ContainsFunc(symbols, isEntryPoint) {
		return &Problem{file + " is not a PJRT plugin, because it lacks the function " + entryPoint,
			useAnother}
	}
	return nil
}
