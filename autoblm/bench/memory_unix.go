//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// mostMemory is the most bytes that a process, which is over, had in memory at once.
func mostMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
