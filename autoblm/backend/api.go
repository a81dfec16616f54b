package backend

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// calledPJRT is the version of the PJRT interface that go-xla calls. It does not check
	// the version of the plugin.
	calledPJRT = "0.104"
	// comparedPJRT is the oldest version that a test compares with the calls of go-xla. It
	// lacks only PJRT_Buffer_Bitcast, which GoMLX does not use.
	comparedPJRT = "0.81"
)

// warnOldPJRT returns a warning about a plugin with an older version of PJRT, or "".
func warnOldPJRT(version string) string {
	if !isOlder(version, calledPJRT) {
		return ""
	}
	warning := fmt.Sprintf("its PJRT %s is older than %s, which go-xla calls", version, calledPJRT)
	if isOlder(version, comparedPJRT) {
		return warning + "; a missing call can crash the program, so install a newer plugin"
	}
	return warning + "; it lacks only PJRT_Buffer_Bitcast, which AutoBLM does not call"
}

// isOlder reports whether a version such as "0.81" is older than another.
func isOlder(a, b string) bool {
	majorA, minorA, okA := parseVersion(a)
	majorB, minorB, okB := parseVersion(b)
	return okA && okB && (majorA < majorB || majorA == majorB && minorA < minorB)
}

func parseVersion(text string) (major, minor int, ok bool) {
	first, second, _ := strings.Cut(text, ".")
	major, errMajor := strconv.Atoi(first)
	minor, errMinor := strconv.Atoi(second)
	return major, minor, errMajor == nil && errMinor == nil
}
