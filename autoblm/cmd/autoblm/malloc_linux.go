//go:build cgo

package main

/*
#include <malloc.h>

// Runs before Go starts threads: they would create arenas.
__attribute__((constructor)) static void keep_freed_memory(void) {
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
#endif
}
*/
import "C"

// XLA on the CPU allocates its intermediate results in each step. The GNU C library takes large blocks
// from the system and returns them, and the system clears their pages each time: up to a third of the
// time of a step. So the library keeps what is freed, which takes up to twice the memory.
// Only its first arena can reuse blocks of any size. Go manages its own memory.
