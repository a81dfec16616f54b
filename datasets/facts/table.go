package facts

import (
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/textfile"
)

// maxLine limits the length of a line.
const maxLine = 1 << 20

// table turns rows of cells into facts.
type table struct {
	*reader
	columns *columns // nil before the first row
	width   int      // number of cells in a row; 0 if the first row sets it
	titled  bool     // the first row has titles for certain
}

// row adds the fact of a row. The first row may have the titles.
func (t *table) row(line int, cells []string) error {
	if t.Partial && len(cells) == 2 {
		cells = append(cells, "")
	}
	if t.width == 0 {
		t.width = len(cells)
	}
	if len(cells) != t.width {
		return t.fail(line, malformed("found %s; other lines have %d", format.Count(len(cells), "field"),
			t.width))
	}
	if t.columns == nil {
		c, isTitles, err := t.find(cells, t.titled)
		if err != nil {
			return fmt.Errorf("%s: %w", t.at(line), err)
		}
		t.columns = &c
		t.report.describe(c, cells, isTitles)
		if isTitles {
			return nil
		}
	}
	f, err := t.columns.fact(cells, line)
	if err != nil {
		return t.fail(line, err)
	}
	return t.add(f)
}

// readTSV reads lines of cells with tabs between them. See [Unquote] for quotes.
func readTSV(r *reader) error {
	start, err := r.peek()
	if err != nil {
		return r.cannotRead(0, err)
	}
	width, _ := mostFrequent(r.tsvWidths(start))
	t := table{reader: r, width: width}
	text := textfile.File{Path: r.path, Source: unclosed{r}}
	var cells []string
	for content := range text.Lines(maxLine) {
		if r.skipsComment(text.Line, content) {
			continue
		}
		cells = cells[:0]
		for cell := range strings.SplitSeq(string(content), "\t") {
			cells = append(cells, cell)
		}
		Unquote(cells)
		if err := t.row(text.Line, cells); err != nil {
			return err
		}
	}
	return text.Err
}

// unclosed is a source that [Read] closes.
type unclosed struct{ *reader }

func (unclosed) Close() error { return nil }
