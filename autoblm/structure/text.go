package structure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// maxFileBytes is far above the longest text of a structure; it keeps
// "@/dev/zero" from filling the memory.
const maxFileBytes = 64 << 10

// Parse reads a structure from any of its text forms; K is the number of rows:
//
//	1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2      cells by comma, rows by semicolon
//	[[1,0],[0,2]]                          a JSON array of arrays
//	complex                                a name, see [Baselines]; also cp and hole
//	@best.txt                              a file that holds one of the above, or a row a line
//
// Spaces around cells do not matter, nor do capitals in a name. The error
// says what is wrong, and in which row and column, both counted from 1.
func Parse(text string) (Structure, error) {
	path, isFile := strings.CutPrefix(strings.TrimSpace(text), "@")
	if !isFile {
		return parseInline(text)
	}
	content, err := readSmallFile(path)
	if err != nil {
		return Structure{}, fmt.Errorf("structure from a file: %w", err)
	}
	content = strings.TrimSpace(strings.TrimPrefix(content, "\ufeff"))
	if !strings.ContainsAny(content, ";[") { // a row a line
		content = strings.Join(strings.FieldsFunc(content, func(r rune) bool {
			return r == '\n' || r == '\r'
		}), ";")
	}
	s, err := parseInline(content)
	if err != nil {
		return Structure{}, fmt.Errorf("file %s: %w", path, err)
	}
	return s, nil
}

// MustParse calls [Parse] and panics on an error. It is for constants.
func MustParse(text string) Structure {
	s, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// String returns the form "1,0;0,2": cells by comma, rows by semicolon. [Parse]
// reads it back.
func (s Structure) String() string {
	var text strings.Builder
	for n, value := range s.flat() {
		switch {
		case n == 0:
		case n%s.K() == 0:
			text.WriteByte(';')
		default:
			text.WriteByte(',')
		}
		text.WriteString(strconv.Itoa(int(value)))
	}
	return text.String()
}

// MarshalText returns the text of [Structure.String], so a structure is a string in JSON.
func (s Structure) MarshalText() ([]byte, error) {
	if s.k == 0 {
		return nil, errors.New("a structure without cells has no text form; build it with New, Parse " +
			"or Zero")
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads every form of [Parse] but @file: data must not be able
// to make its reader open files.
func (s *Structure) UnmarshalText(text []byte) error {
	parsed, err := parseInline(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

// UnmarshalJSON reads a string as [Structure.UnmarshalText] does, or an array
// of arrays as it stands.
func (s *Structure) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return s.UnmarshalText(data)
	}
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("structure %s: write a string such as \"1,0;0,2\" or an array of arrays",
			shorten(string(data)))
	}
	if text == nil { // null leaves s alone, as everywhere in encoding/json
		return nil
	}
	return s.UnmarshalText([]byte(*text))
}

func parseInline(text string) (Structure, error) {
	trimmed := strings.TrimSpace(text)
	s, err := parseTrimmed(trimmed)
	if err != nil {
		return Structure{}, fmt.Errorf("structure %s: %w", shorten(trimmed), err)
	}
	return s, nil
}

func parseTrimmed(text string) (Structure, error) {
	switch {
	case text == "":
		return Structure{}, errors.New("nothing given; write rows such as 1,0;0,2 or a name such as " +
			"complex")
	case text[0] == '[':
		return parseJSON(text)
	case strings.ContainsAny(text[:1], "+-0123456789,;"):
		var rows [][]string
		for row := range strings.SplitSeq(text, ";") {
			if strings.TrimSpace(row) == "" {
				return Structure{}, fmt.Errorf("row %d is empty; put one semicolon between rows and none at "+
					"the end", len(rows)+1)
			}
			rows = append(rows, strings.Split(row, ","))
		}
		return parseCells(rows)
	default:
		if s, known := byName(text); known {
			return s, nil
		}
		known := knownNames()
		return Structure{}, &enum.UnknownError{Name: text, Names: known,
			Text: fmt.Sprintf("no model of that name%s; known are %s; or write rows such as 1,0;0,2",
				enum.DidYouMean(enum.Near(known, text)), strings.Join(known, ", "))}
	}
}

func parseJSON(text string) (Structure, error) {
	var cells [][]json.RawMessage
	if err := json.Unmarshal([]byte(text), &cells); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return Structure{}, fmt.Errorf("bad JSON near byte %d: %w", syntax.Offset, err)
		}
		return Structure{}, errors.New("a row is not an array; write [[1,0],[0,2]]")
	}
	rows := make([][]string, len(cells))
	for i, row := range cells {
		for _, cell := range row {
			rows[i] = append(rows[i], string(cell))
		}
	}
	return parseCells(rows)
}

func parseCells(texts [][]string) (Structure, error) {
	k := len(texts)
	if err := checkSize(k); err != nil {
		return Structure{}, err
	}
	rows := make([][]int, k)
	for i, cells := range texts {
		if err := checkRow(i, len(cells), k); err != nil {
			return Structure{}, err
		}
		rows[i] = make([]int, k)
		for j, cell := range cells {
			value, err := strconv.Atoi(strings.TrimSpace(cell))
			if err != nil {
				return Structure{}, cellError(i, j, shorten(cell), k)
			}
			rows[i][j] = value
		}
	}
	return New(rows)
}

func readSmallFile(path string) (string, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return "", err
	}
	if len(content) > maxFileBytes {
		return "", fmt.Errorf("%s is larger than %d bytes; it should hold one structure", path,
			maxFileBytes)
	}
	return string(content), nil
}

// shorten quotes a text for an error of one line.
func shorten(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return strconv.Quote(text)
}
