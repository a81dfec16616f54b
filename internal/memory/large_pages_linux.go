package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// UseLargePages asks the system to use large pages for numbers that are not used yet, if they take
// at least 32 MiB. It has no effect where the system has none.
func UseLargePages(numbers []float32) {
	const least, page, numberBytes = 32 << 20, 2 << 20, 4
	size := numberBytes * len(numbers)
	if size < least {
		return
	}
	all := unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), size)
	start := -int(uintptr(unsafe.Pointer(&numbers[0]))) & (page - 1) // to the first page
	_ = unix.Madvise(all[start:start+(size-start)/page*page], unix.MADV_HUGEPAGE)
}
