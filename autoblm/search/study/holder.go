package study

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// InUseError reports that a process has locked a study.
type InUseError struct {
	Path string
	// Process is the id of that process, 0 if the system does not report it.
	Process int
	// Command and Since are the command line and the start of that process, if the system
	// reports them.
	Command string
	Since   time.Time
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("the study %s is in use by %s: wait for it, or name another study",
		e.Path, e.Holder())
}

// Holder describes the process that has the study, for example "process 4711 (autoblm search
// --dataset umls, since 13:04:05)".
func (e *InUseError) Holder() string {
	switch e.Process {
	case 0:
		return "another process"
	case os.Getpid():
		return "this process"
	}
	var details []string
	if e.Command != "" {
		details = append(details, e.Command)
	}
	if !e.Since.IsZero() {
		layout := time.TimeOnly
		if time.Since(e.Since) > 12*time.Hour {
			layout = time.DateTime
		}
		details = append(details, "since "+e.Since.Format(layout))
	}
	if len(details) == 0 {
		return fmt.Sprintf("process %d", e.Process)
	}
	return fmt.Sprintf("process %d (%s)", e.Process, strings.Join(details, ", "))
}

func inUse(path string, process int) *InUseError {
	e := &InUseError{Path: path, Process: process}
	if process != 0 {
		e.Command, e.Since = commandLine(process), startTime(process)
	}
	return e
}

// commandLine returns the shortened command line of a process, or "" on a system without /proc.
func commandLine(process int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process))
	if err != nil {
		return ""
	}
	arguments := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	arguments[0] = filepath.Base(arguments[0])
	printable := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	command := []rune(strings.Map(printable, strings.Join(arguments, " ")))
	const most = 80
	if len(command) > most {
		return string(command[:most]) + "…"
	}
	return string(command)
}

// startTime returns when a process began, or the zero time on a system without /proc.
func startTime(process int) time.Time {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return time.Time{}
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}
	}
	// The program's name, in brackets, may hold spaces. The start is the 20th field after it, in
	// hundredths of a second since the system began.
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
