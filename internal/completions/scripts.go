package completions

import (
	"embed"
	"strings"
)

//go:embed scripts
var scripts embed.FS

// Shells are the shells with scripts.
var Shells = []string{"bash", "zsh", "fish"}

// Script returns a script for a shell. It calls PROGRAM COMMAND -- WORD... with the words up to the
// cursor, and reads suggestions in the format of [Print]. Without suggestions it completes files.
func Script(shell, program, command string) (string, error) {
	text, err := scripts.ReadFile("scripts/" + shell)
	return strings.NewReplacer("PROGRAM", program, "COMMAND", command).Replace(string(text)), err
}
