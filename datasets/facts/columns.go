package facts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// columns has the place of each role in a row, or -1.
type columns [5]int

// noColumns has no role.
var noColumns = columns{-1, -1, -1, -1, -1}

// find assigns the roles to columns. first is the first row, whose cells may be titles, or must be;
// isTitles says that they are.
func (o Options) find(first []string, must bool) (c columns, isTitles bool, err error) {
	c, isTitles, err = o.named(first, must)
	if err != nil {
		return c, false, err
	}
	common := noColumns
	for role := range roles {
		common[role] = titled(first, role)
	}
	if isTitles = isTitles || must; len(o.Columns) == 0 && !must {
		isTitles = common[head] >= 0 && common[relation] >= 0 && common[tail] >= 0
	}
	for role := range roles {
		if isTitles && c[role] < 0 && !slices.Contains(c[:], common[role]) {
			c[role] = common[role]
		}
	}
	if !isTitles && len(o.Columns) == 0 && len(first) == 3 {
		c[head], c[relation], c[tail] = 0, 1, 2
	}
	if !isTitles && len(o.Columns) == 0 && hasTruth(first) {
		return c, false, errors.New("the fourth column seems to say which triples are true, 1, and " +
			"false, -1: put the files into a folder as train.txt, valid.txt and test.txt, and use the folder")
	}
	if len(first) == 1 && len(strings.Fields(first[0])) >= 3 {
		return c, false, fmt.Errorf("the line %s is one column: put tabs between its head, relation and tail",
			quoted(first))
	}
	if len(first) == 1 && strings.Count(first[0], ",") >= 2 {
		return c, false, fmt.Errorf("the line %s is one column: it seems to be of the format csv, separated by commas",
			quoted(first))
	}
	if len(first) < 3 {
		return c, false, fmt.Errorf("a fact needs three columns, and the columns are %s: add what is missing, "+
			"such as a column with one relation", quoted(first))
	}
	for role := range 3 {
		if c[role] < 0 {
			fix := ""
			if o.Partial {
				fix = "; use three columns, or titles head, relation and tail"
			} else if text := WithTitles([3]string(first)); text != "" && len(o.Columns) == 0 {
				fix = "; if these are titles, name them, such as " + text +
					", and if this is a fact, number them: head=1,relation=2,tail=3"
			}
			return c, false, unknownColumns("no column is known to be the %s: the columns are %s%s",
				roles[role], quoted(first), fix)
		}
	}
	if c[head] == c[relation] || c[relation] == c[tail] || c[tail] == c[head] {
		return c, false, unknownColumns("a column has two roles: head, relation and tail are three")
	}
	return c, isTitles, nil
}

// WithTitles returns the text of [Columns] for head, relation and tail with these titles, or "" if a
// title holds a comma.
func WithTitles(titles [3]string) string {
	if strings.Contains(strings.Join(titles[:], ""), ",") {
		return ""
	}
	return fmt.Sprintf("head=%s,relation=%s,tail=%s", titles[0], titles[1], titles[2])
}

// hasTruth reports whether a row has a fourth cell as in data for triple classification.
func hasTruth(row []string) bool { return len(row) == 4 && (row[3] == "1" || row[3] == "-1") }

// named assigns the columns of the option by title or number. A number is a title only if the first
// row certainly has titles: in a row of a fact it may be a label.
func (o Options) named(first []string, must bool) (c columns, isTitles bool, err error) {
	c = noColumns
	var numbered []string
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		role := slices.Index(roles, name)
		if role < 0 {
			return c, false, unknownColumns("%w", enum.Unknown("role of a column", name, roles))
		}
		if number(o.Columns[name], first) > 0 {
			numbered = append(numbered, name)
			continue
		}
		if c[role] = withTitle(first, o.Columns[name]); c[role] < 0 {
			return c, false, unknownColumns("no column %q for the %s: the columns are %s%s", o.Columns[name],
				name, quoted(first), enum.DidYouMean(enum.Near(first, o.Columns[name])))
		}
		isTitles = true
	}
	for _, name := range numbered {
		role, column := slices.Index(roles, name), o.Columns[name]
		c[role] = number(column, first) - 1
		if at := withTitle(first, column); at >= 0 && (must || isTitles) {
			c[role] = at
		}
	}
	if !isTitles && c[head] >= 0 && c[relation] >= 0 && c[tail] >= 0 { // by number
		isTitles = AreTitles([3]string{first[c[head]], first[c[relation]], first[c[tail]]})
	}
	return c, isTitles, nil
}

// number returns the number of a column from 1 that a text is, or 0.
func number(text string, columns []string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(columns) {
		return 0
	}
	return n
}

// withTitle returns the column with a title, or -1.
func withTitle(columns []string, title string) int {
	if at := slices.Index(columns, title); at >= 0 {
		return at
	}
	return slices.IndexFunc(columns, func(c string) bool { return plainTitle(c) == plainTitle(title) })
}

// describe sets the columns in a report.
func (r *Report) describe(c columns, first []string, isTitles bool) {
	r.Columns = map[string]string{}
	for role, at := range c {
		switch {
		case at >= 0 && isTitles:
			r.Columns[roles[role]] = first[at]
		case at >= 0:
			r.Columns[roles[role]] = strconv.Itoa(at + 1)
		}
	}
	for i, title := range first {
		if isTitles && !slices.Contains(c[:], i) {
			r.Other = append(r.Other, title)
		}
	}
}

// fact returns the fact of a row.
func (c columns) fact(row []string, line int) (Fact, error) {
	f := Fact{Head: row[c[head]], Relation: row[c[relation]], Tail: row[c[tail]], Weight: 1, Line: line}
	if c[when] >= 0 {
		f.Time = row[c[when]]
	}
	if c[weight] >= 0 && row[c[weight]] != "" {
		w, err := strconv.ParseFloat(strings.TrimSpace(row[c[weight]]), 64)
		if err != nil || !(w >= 0 && w <= MaxWeight) {
			return f, malformed("the weight %q is not a number from 0 to %g", row[c[weight]], MaxWeight)
		}
		f.Weight, f.IsWeighted = w, true
	}
	return f, nil
}

// MaxWeight limits weights, so that their sum is finite.
const MaxWeight = 1e9

// quoted lists texts in quotes.
func quoted(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = strconv.Quote(text)
	}
	return strings.Join(all, ", ")
}
