package labtest

import (
	"strings"
	"testing"
)

func TestFailures(t *testing.T) {
	good := []Picture{{Width: 640, Height: 480}}
	for _, test := range []struct {
		cell Cell
		want string
	}{
		{Cell{Prompt: "[1]:"}, ""},
		{Cell{Prompt: "[12]:", Pictures: good}, ""},
		{Cell{Prompt: "[ ]:"}, "it has not run"},
		{Cell{Prompt: "[*]:"}, "it has not run"},
		{Cell{Prompt: "[1]:", Errors: []string{"exit status 1"}}, "exit status 1"},
		{Cell{Prompt: "[1]:", Pictures: append(good, Picture{})}, "picture 2 of 2 is broken"},
	} {
		if got := test.cell.Failure(); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%+v: %q, want %q", test.cell, got, test.want)
		}
	}
}

func TestFinished(t *testing.T) {
	ran, runs, not := Cell{Prompt: "[1]:"}, Cell{Prompt: "[*]:"}, Cell{Prompt: "[ ]:"}
	failed := Cell{Prompt: "[1]:", Errors: []string{"panic"}}
	for _, test := range []struct {
		status string
		cells  []Cell
		want   bool
	}{
		{"idle", []Cell{ran, ran}, true},
		{"busy", []Cell{ran, ran}, false},
		{"idle", []Cell{ran, runs}, false},
		{"idle", []Cell{not, not}, false}, // the click has not been heard yet
		{"idle", []Cell{failed, not}, true},
		{"idle", []Cell{failed, runs}, false},
	} {
		if got := (state{Status: test.status, Cells: test.cells}).finished(); got != test.want {
			t.Errorf("%s, %+v: %v", test.status, test.cells, got)
		}
	}
}
