// Package memory says before the work whether what it needs is there: a process that takes
// more than there is is killed, with all that it had.
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

// muchGarbage is from how many bytes on garbage is collected at once.
const muchGarbage = 256 << 20

// CollectGarbage collects garbage where so many bytes have come to be some: it would stay until the
// heap is twice what is in use, which of much is more than there need be.
func CollectGarbage(bytes float64) {
	if bytes >= muchGarbage {
		runtime.GC()
	}
}

// Check says so if something that needs so many bytes at least cannot have them. It lets all
// pass where the system does not tell what is free.
func Check(bytes float64, what, mend string) error {
	return check(Free(os.DirFS("/")), bytes, what, mend)
}

// IsShortage says whether an error is of [Check].
func IsShortage(err error) bool {
	var s shortage
	return errors.As(err, &s)
}

type shortage string

func (s shortage) Error() string { return string(s) }

func check(free int64, bytes float64, what, mend string) error {
	if free <= 0 || bytes <= float64(free) {
		return nil
	}
	needed := "2 EiB"
	if bytes < 1<<61 {
		needed = humanize.IBytes(uint64(bytes))
	}
	return shortage(fmt.Sprintf("%s would take at least %s of memory, and %s are free: %s", what, needed, humanize.IBytes(uint64(free)), mend))
}

// Free is how much memory is free, in bytes, for the machine and for the group of processes
// that this one is in, given the root of its files; 0 where the system does not tell.
func Free(root fs.FS) int64 {
	free := field(root, "proc/meminfo", "MemAvailable:") << 10
	const group = "sys/fs/cgroup/"
	limit := field(root, group+"memory.max", "")
	if limit <= 0 {
		return free
	}
	cached := field(root, group+"memory.stat", "inactive_file ") + field(root, group+"memory.stat", "active_file ")
	left := max(1, limit-field(root, group+"memory.current", "")+cached)
	if free <= 0 {
		return left
	}
	return min(free, left)
}

// field is the number behind a name at the beginning of a line, 0 where there is none.
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
				return 0 // as in "max"
			}
			return n
		}
	}
	return 0
}
