package completions

import (
	"embed"
	"strings"
)

//go:embed scripts
var scripts embed.FS

// Shells are those that there are scripts for.
var Shells = []string{"bash", "zsh", "fish"}

// Script is what a shell reads to ask a program: it calls PROGRAM COMMAND -- WORD..., with
// the words of the command line up to where one is, and takes suggestions as [Print] writes
// them. Where there are none, it suggests files.
func Script(shell, program, command string) (string, error) {
	text, err := scripts.ReadFile("scripts/" + shell)
	return strings.NewReplacer("PROGRAM", program, "COMMAND", command).Replace(string(text)), err
}
