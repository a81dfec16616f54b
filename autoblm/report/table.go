package report

import (
	"fmt"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/dustin/go-humanize"
)

// table is printed with its first column as the name of each row.
type table struct {
	Caption string
	Columns []column
	// Rows are shown, and Folded only when a reader opens them, under More.
	Rows, Folded []row
	More         string
}

type column struct {
	Title  string
	Number bool
}

type row struct {
	Cells []cell
	// Chosen marks the row that everything else depends on.
	Chosen bool
}

type cell struct {
	Text string
	// Code is something to type.
	Code bool
	// Share, when above 0, is drawn as a bar: a percentage.
	Share float64
}

// grid is one part of a table for the template.
type grid struct {
	Caption string
	Columns []column
	Rows    []row
}

// Grid has the columns of the table with some of its rows.
func (t *table) Grid(rows []row) grid { return grid{t.Caption, t.Columns, rows} }

// texts and numbers are columns with these titles.
func texts(titles ...string) []column { return columns(false, titles) }

func numbers(titles ...string) []column { return columns(true, titles) }

func columns(number bool, titles []string) []column {
	all := make([]column, len(titles))
	for i, title := range titles {
		all[i] = column{title, number}
	}
	return all
}

func (t *table) add(cells ...any) *row {
	r := row{}
	for _, value := range cells {
		switch value := value.(type) {
		case cell:
			r.Cells = append(r.Cells, value)
		default:
			r.Cells = append(r.Cells, cell{Text: fmt.Sprint(value)})
		}
	}
	t.Rows = append(t.Rows, r)
	return &t.Rows[len(t.Rows)-1]
}

// fold hides the rows beyond the first shown.
func (t *table) fold(shown int, what string) {
	if len(t.Rows) <= shown {
		return
	}
	t.Rows, t.Folded = t.Rows[:shown], t.Rows[shown:]
	t.More = fmt.Sprintf("%s more", count(len(t.Folded), what))
	if shown == 0 {
		t.More = count(len(t.Folded), what)
	}
}

func code(text string) cell { return cell{Text: text, Code: true} }

// bar is an MRR with its size drawn.
func bar(mrr float64) cell { return cell{Text: number(mrr), Share: 100 * mrr} }

// missing stands where a number is not known.
const missing = "–"

func number(x float64) string { return fmt.Sprintf("%.3f", x) }

// score is what decides of a trial.
func score(t task.Trial) string {
	if t.Score == nil {
		return missing
	}
	return number(*t.Score)
}

func testScore(t task.Trial) string {
	if t.TestScore == nil {
		return missing
	}
	return number(*t.TestScore)
}

// metrics are the cells of MRR, Hits@1, Hits@10.
func metrics(e *completion.Evaluation) []any {
	if e == nil {
		return []any{missing, missing, missing}
	}
	return []any{number(e.Both.MRR), number(e.Both.Hits1), number(e.Both.Hits10)}
}

func thousands(n int) string { return humanize.Comma(int64(n)) }

// count is "1 epoch" or "2 epochs".
func count(n int, what string) string {
	return counted(n, what, what+"s")
}

// counted is count for words with another plural.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func duration(seconds float64) string {
	switch whole := int(seconds + 0.5); {
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 60:
		return fmt.Sprintf("%.1f s", seconds)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%d h %d min", whole/3600, whole%3600/60)
	}
}

// list is "a", "a and b" or "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// guise names the human-designed model that a trial's structure is equivalent to.
func guise(t task.Trial) string {
	if same := t.Structure.Name(); same != "" && t.Name == "" {
		return "is " + title(same)
	}
	return ""
}
