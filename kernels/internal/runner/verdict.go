package runner

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
)

// The kernel reports these on standard error and goes on, each in a message of
// its own, which ends the text of the failed program where that has no newline.
var (
	badExit  = regexp.MustCompile(`(?m)^(exit status \d+|signal: .+)$`)
	noMagic  = regexp.MustCompile(`^"(%.*)" unknown or not implemented yet\.$`)
	crash    = regexp.MustCompile(`(?m)^(panic|fatal error): .+$`)
	cellLine = regexp.MustCompile(`^Cell\[(\d+)\]: Line (\d+)\n(?s:.*)\n(.+)$`)
	noModule = regexp.MustCompile(`cannot find module providing package (\S+)`)
	colours  = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// verdict is why the cell failed, or nil.
func (sh *sheet) verdict() *Failure {
	for _, o := range sh.outputs {
		if o.Type == notebook.Failure {
			return sh.failed(o)
		}
	}
	for _, o := range sh.outputs {
		for _, message := range o.messages {
			if unknown := noMagic.FindStringSubmatch(message); unknown != nil {
				return &Failure{Count: sh.count, Reason: "the kernel knows no command " + unknown[1]}
			}
			if status := badExit.FindString(message); status != "" {
				return &Failure{Count: sh.count, Reason: "a command failed: " + status, Detail: sh.lastWords()}
			}
		}
	}
	return nil
}

// failed is the failure that an error output reports.
func (sh *sheet) failed(o *output) *Failure {
	f := &Failure{Count: sh.count, Reason: firstLine(o.ErrorValue), Detail: tail(strings.Join(o.Traceback, "\n"))}
	if badExit.MatchString(f.Reason) {
		f.Detail = sh.lastWords()
		if crashed := crash.FindString(f.Detail); crashed != "" {
			f.Reason = crashed + " (" + f.Reason + ")"
		}
		return f
	}
	if missing := noModule.FindStringSubmatch(o.ErrorValue); missing != nil {
		f.Reason = "package " + missing[1] + " is not among those that cells can import (kernels/env/deps.go lists them)"
		f.Detail = ""
		return f
	}
	for _, entry := range o.Traceback {
		if place := cellLine.FindStringSubmatch(plain(entry)); place != nil {
			f.Reason = fmt.Sprintf("line %s: %s", place[2], place[3])
			if place[1] != fmt.Sprint(sh.count) {
				f.Reason = fmt.Sprintf("line %s of In [%s]: %s", place[2], place[1], place[3])
			}
			break
		}
	}
	return f
}

// lastWords are the last lines of what the cell wrote to standard error, or
// else to standard output.
func (sh *sheet) lastWords() string {
	written := map[string][]byte{}
	for _, o := range sh.outputs {
		written[o.Name] = append(written[o.Name], o.text...)
	}
	if said := tail(badExit.ReplaceAllString(string(written["stderr"]), "")); said != "" {
		return said
	}
	return tail(string(written["stdout"]))
}

// tail is the last lines of a text, as far as they fit.
func tail(text string) string {
	const most, widest = 20, 300
	lines := strings.Split(strings.TrimSpace(plain(text)), "\n")
	lines = lines[max(0, len(lines)-most):]
	for i, line := range lines {
		if len(line) > widest {
			lines[i] = strings.ToValidUTF8(line[:widest], "") + " …"
		}
	}
	return strings.Join(lines, "\n")
}

// firstLine is the first line that says something: the compiler's "# package" does not.
func firstLine(text string) string {
	for line := range strings.Lines(plain(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			return line
		}
	}
	return "failed without a reason"
}

func afterFirstLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return tail(rest)
}

// plain is a text without the codes that colour it.
func plain(text string) string { return colours.ReplaceAllString(text, "") }
