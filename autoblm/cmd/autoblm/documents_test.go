package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-shellwords"
)

// shellBlock matches a block of shell commands, which may be in a list.
var shellBlock = regexp.MustCompile("(?ms)^ *```(?:sh|console)\n(.*?)^ *```$")

// TestDocumentCommands parses the commands of this program in the documents.
func TestDocumentCommands(t *testing.T) {
	const root = "../../.."
	paths, err := filepath.Glob(root + "/docs/*.md")
	must(t, err)
	texts := map[string]string{}
	for _, path := range append(paths, root+"/README.md", root+"/notebooks/README.md") {
		texts[strings.TrimPrefix(path, root+"/")] = readFile(t, path)
	}
	t.Chdir(t.TempDir()) // the parser reads the files of --config
	must(t, os.Mkdir("logged", 0o700))
	must(t, os.WriteFile("logged/config.yaml", []byte("dataset: world\n"), 0o600))
	commands := 0
	for name, text := range texts {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				arguments, is := commandOf(t, line)
				if !is {
					continue
				}
				commands++
				parser, err := newParser(newCommands(), kong.Vars{"version": ""})
				must(t, err)
				if _, err := parser.Parse(readable(arguments)); err != nil {
					t.Errorf("%s: %s: %v", name, strings.TrimSpace(line), err)
				}
			}
		}
	}
	if commands < 30 {
		t.Errorf("the documents have %d commands, want at least 30", commands)
	}
}

// commandOf returns the arguments of this program in a line of a shell.
func commandOf(t *testing.T, line string) (arguments []string, is bool) {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
	_, line, is = strings.Cut(" "+line, " autoblm ")
	if from := "go run ./autoblm/cmd/autoblm "; !is {
		if _, line, is = strings.Cut(line, from); !is {
			return nil, false
		}
	}
	arguments, err := shellwords.Parse(line)
	must(t, err)
	return arguments, true
}
