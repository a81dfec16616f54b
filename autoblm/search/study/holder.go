package study

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// InUseError says that a study is in use, and by whom.
type InUseError struct {
	Path string
	// Process is the number of the process that has the study, 0 where the
	// system does not say.
	Process int
	// Command and Since are that process's, where the system says.
	Command string
	Since   time.Time
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the study %s is in use by %s: wait for it, or name another study", e.Path, e.Holder())
}

// Holder describes the process that has the study, as "process 4711 (autoblm
// search --dataset umls, since 13:04:05)".
func (e *InUseError) Holder() string {
	switch {
	case e.Process == 0:
		return "another process"
	case e.Process == os.Getpid():
		return "this process itself"
	}
	var more []string
	if e.Command != "" {
		more = append(more, e.Command)
	}
	if !e.Since.IsZero() {
		layout := time.TimeOnly
		if time.Since(e.Since) > 12*time.Hour {
			layout = time.DateTime
		}
		more = append(more, "since "+e.Since.Format(layout))
	}
	if len(more) == 0 {
		return fmt.Sprintf("process %d", e.Process)
	}
	return fmt.Sprintf("process %d (%s)", e.Process, strings.Join(more, ", "))
}

func inUse(path string, process int) *InUseError {
	e := &InUseError{Path: path, Process: process}
	if process != 0 {
		e.Command, e.Since = commandOf(process), startOf(process)
	}
	return e
}

// commandOf is a process's command in short, "" where there is no /proc.
func commandOf(process int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process))
	if err != nil {
		return ""
	}
	words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	words[0] = filepath.Base(words[0])
	command := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.Join(words, " ")))
	const most = 80
	if len(command) > most {
		return string(command[:most]) + "…"
	}
	return string(command)
}

// startOf is when a process began, zero where there is no /proc.
func startOf(process int) time.Time {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return time.Time{}
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}
	}
	// The name of the program, in brackets, may hold anything; field 22 of all is
	// the 20th after it, in hundredths of a second since the system began.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	up := bytes.Fields(uptime)
	if len(fields) < 20 || len(up) == 0 {
		return time.Time{}
	}
	began, err := strconv.ParseFloat(string(fields[19]), 64)
	if err != nil {
		return time.Time{}
	}
	now, err := strconv.ParseFloat(string(up[0]), 64)
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration((now - began/100) * float64(time.Second)))
}

// own are the files of the studies that this process has open. A process loses
// its locks on a file as soon as it closes that file anywhere, so nothing here
// opens a file that is among them, and nothing else does while one is looked at.
var own struct {
	sync.Mutex
	files []os.FileInfo
}

// isOwn must be called with own locked.
func isOwn(path string) bool {
	file, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, other := range own.files {
		if os.SameFile(file, other) {
			return true
		}
	}
	return false
}
