package record

import "strings"

// CommandLine quotes the words of a command for a shell.
func CommandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// quote quotes a word for a shell, if necessary.
func quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`;&|<>()*?[]{}!#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
