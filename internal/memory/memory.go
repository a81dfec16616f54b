// Package memory checks for free memory before work begins. The system kills a process that uses
// more memory than is free.
package memory

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// minGarbage is the number of bytes from which garbage is collected at once.
const minGarbage = 256 << 20

// CollectGarbage collects garbage if bytes, the size of the garbage, is large. Otherwise the heap
// would grow to twice the memory in use.
func CollectGarbage(bytes float64) {
	if bytes >= minGarbage {
		runtime.GC()
	}
}

// Check returns an error if less than bytes are free. It returns nil if the system does not report
// free memory.
func Check(bytes float64, what, fix string) error {
	return check(Free(os.DirFS("/")), bytes, what, fix)
}

// IsShortage reports whether an error comes from [Check].
func IsShortage(err error) bool {
	_, is := errors.AsType[shortage](err)
	return is
}

type shortage string

func (s shortage) Error() string { return string(s) }

func check(free int64, bytes float64, what, fix string) error {
	if free <= 0 || bytes <= float64(free) {
		return nil
	}
	needed := "2 EiB"
	if bytes < 1<<61 {
		needed = humanize.IBytes(uint64(bytes))
	}
	return shortage(fmt.Sprintf("%s would take at least %s of memory, and %s are free: %s",
		what, needed, humanize.IBytes(uint64(free)), fix))
}

// Free returns the number of free bytes of the machine and of the process's control group, or 0 if
// the system does not report it. root is the root of the file system.
func Free(root fs.FS) int64 {
	free := field(root, "proc/meminfo", "MemAvailable:") << 10
	const group = "sys/fs/cgroup/"
	limit := field(root, group+"memory.max", "")
	if limit <= 0 {
		return free
	}
	cached := field(root, group+"memory.stat", "inactive_file ") +
		field(root, group+"memory.stat", "active_file ")
	left := max(1, limit-field(root, group+"memory.current", "")+cached)
	if free <= 0 {
		return left
	}
	return min(free, left)
}

// field returns the number after a name at the beginning of a line, or 0 if there is none.
func field(root fs.FS, file, name string) int64 {
	content, err := root.Open(file)
	if err != nil {
		return 0
	}
	defer content.Close()
	for lines := bufio.NewScanner(content); lines.Scan(); {
		rest, found := strings.CutPrefix(lines.Text(), name)
		if words := strings.Fields(rest); found && len(words) > 0 {
			n, err := strconv.ParseInt(words[0], 10, 64)
			if err != nil {
				return 0 // such as "max"
			}
			return n
		}
	}
	return 0
}
