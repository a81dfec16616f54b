package record

import "strings"

// CommandLine is a command as a shell takes it.
func CommandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quoted(word)
	}
	return strings.Join(quoted, " ")
}

// Quoted is a word of a command as a shell takes it.
func Quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`;&|<>()*?[]{}!#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
