package backend

import (
	"fmt"
	"strconv"
	"strings"
)

// oldestPJRT is the oldest version of the PJRT interface that a test compares with the calls
// of go-xla, which does not check the version. It lacks only PJRT_Buffer_Bitcast, which GoMLX
// does not use.
const oldestPJRT = "0.81"

// warnOldPJRT returns a warning about a plugin with an older version of PJRT, or "".
func warnOldPJRT(version string) string {
	major, minor, ok := parseVersion(version)
	oldMajor, oldMinor, _ := parseVersion(oldestPJRT)
	if !ok || major > oldMajor || major == oldMajor && minor >= oldMinor {
		return ""
	}
	return fmt.Sprintf("its PJRT %s is older than %s; a missing call can crash the program, "+
		"so install a newer plugin", version, oldestPJRT)
}

func parseVersion(text string) (major, minor int, ok bool) {
	first, second, _ := strings.Cut(text, ".")
	major, errMajor := strconv.Atoi(first)
	minor, errMinor := strconv.Atoi(second)
	return major, minor, errMajor == nil && errMinor == nil
}
