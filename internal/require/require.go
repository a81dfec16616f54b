// Package require has checks that end a test if they fail.
package require

import "strings"

// TB is a test, such as [testing.TB] or one of package rapid.
type TB interface {
	Helper()
	Fatal(values ...any)
	Fatalf(format string, values ...any)
}

// NoError checks that there is no error.
func NoError(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Error checks that there is an error of one line that contains all parts.
func Error(t TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Fatalf("error %q does not contain %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %q has more than one line", err)
	}
}
