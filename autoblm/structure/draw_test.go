package structure

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var escapeCode = regexp.MustCompile("\x1b\\[[0-9;]*m")

// readPicture parses the matrix in a picture.
func readPicture(t *rapid.T, picture string) Structure {
	var rows [][]int
	lines := strings.Split(strings.TrimSuffix(picture, "\n"), "\n")
	for n, line := range lines[1:] {
		if utf8.RuneCountInString(line) != utf8.RuneCountInString(lines[1]) {
			t.Fatalf("line %d is not as wide as the grid:\n%s", n+2, picture)
		}
		if !strings.Contains(line, "│") {
			continue
		}
		cells := strings.Split(line, "│")
		var row []int
		for _, cell := range cells[1 : len(cells)-1] {
			value := 0
			if cell = strings.Trim(cell, " ░"); cell != "·" {
				if _, err := fmt.Sscanf(strings.Replace(cell, "r", "", 1), "%d", &value); err != nil {
					t.Fatalf("cell %q: %v", cell, err)
				}
			}
			row = append(row, value)
		}
		rows = append(rows, row)
	}
	s, err := New(rows)
	if err != nil {
		t.Fatalf("%v in\n%s", err, picture)
	}
	return s
}

func TestDrawShowsTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		if got := readPicture(t, s.Draw(false)); got != s {
			t.Fatalf("the picture of %s shows %s", s, got)
		}
		coloured := s.Draw(true)
		if got := readPicture(t, escapeCode.ReplaceAllString(coloured, "")); got != s {
			t.Fatalf("the coloured picture of %s shows %s", s, got)
		}
		if strings.Count(coloured, "\x1b[0m") != s.Nonzeros() ||
			strings.Count(coloured, "\x1b[") != 2*s.Nonzeros() {
			t.Fatalf("%s: a colour is not switched on and off again:\n%q", s, coloured)
		}
	})
}

var formulaTerm = regexp.MustCompile(`(-?) ?⟨h(\d),r(\d),t(\d)⟩`)

func TestFormulaIsTheStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		rebuilt := Zero(s.K())
		for _, term := range formulaTerm.FindAllStringSubmatch(s.Formula(), -1) {
			value := int(term[3][0] - '0')
			if term[1] == "-" {
				value = -value
			}
			rebuilt = rebuilt.With(int(term[2][0]-'1'), int(term[4][0]-'1'), value)
		}
		if rebuilt != s {
			t.Fatalf("the formula %s of %s says %s", s.Formula(), s, rebuilt)
		}
	})
}
