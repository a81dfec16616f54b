package backend

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// calledPJRT is the version of the PJRT interface that go-xla was made with. It calls
	// what it needs without a look at the plugin's.
	calledPJRT = "0.104"
	// comparedPJRT is the oldest version that was compared with what go-xla calls: it lacks
	// one call, PJRT_Buffer_Bitcast, which no graph of GoMLX's makes.
	comparedPJRT = "0.81"
)

// olderPJRT says what it means that a plugin is of an older version than go-xla calls, or "".
func olderPJRT(version string) string {
	if !before(version, calledPJRT) {
		return ""
	}
	older := fmt.Sprintf("its PJRT %s is older than %s, which go-xla calls", version, calledPJRT)
	if before(version, comparedPJRT) {
		return older + ": what it lacks may end the program, so install a newer one"
	}
	return older + ": it lacks PJRT_Buffer_Bitcast, which nothing here calls, and programs of your own must not (Bitcast of go-xla's buffers); all other calls are there"
}

// before says whether a version as "0.81" comes before another.
func before(a, b string) bool {
	majorA, minorA, okA := version(a)
	majorB, minorB, okB := version(b)
	return okA && okB && (majorA < majorB || majorA == majorB && minorA < minorB)
}

func version(text string) (major, minor int, ok bool) {
	first, second, _ := strings.Cut(text, ".")
	major, errMajor := strconv.Atoi(first)
	minor, errMinor := strconv.Atoi(second)
	return major, minor, errMajor == nil && errMinor == nil
}
