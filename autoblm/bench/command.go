package main

import (
	"os"
	"path"
	"strings"
)

// invocation is what the user typed to get here.
func invocation() string {
	if strings.Contains(os.Args[0], "go-build") { // where go run puts its programs
		return "go run ./autoblm/bench"
	}
	return "./" + path.Base(os.Args[0])
}

// commandLine is a command as a shell takes it.
func commandLine(program string, arguments []string) string {
	words := []string{program}
	for _, a := range arguments {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`;&|<>()*?[]{}!#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
