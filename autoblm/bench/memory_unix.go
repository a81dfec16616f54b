//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the peak memory of a finished process in bytes.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
