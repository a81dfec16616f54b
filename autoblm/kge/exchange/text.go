package exchange

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/autoblm/autoblm-go/internal/labels"
)

// writeTSV writes a header and a row for each label. Labels with a tab or a quote are quoted as in
// CSV, so that csv of Python, pandas and spreadsheets read them unchanged.
func writeTSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	out.Comma = '\t'
	row := make([]string, 1+t.Columns)
	row[0] = "label"
	for i := range t.Columns {
		row[1+i] = "x" + strconv.Itoa(i+1)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i, label := range t.Labels {
		row[0] = label
		for j, x := range t.Row(i) {
			row[1+j] = strconv.FormatFloat(float64(x), 'g', -1, 32)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// withWords returns a table with words as labels. Labels with the same word are an error.
func withWords(t Table) (Table, error) {
	words := make([]string, len(t.Labels))
	first := make(map[string]string, len(words))
	for i, label := range t.Labels {
		words[i] = labels.Word(label)
		if other, again := first[words[i]]; again {
			return t, fmt.Errorf("word2vec has no white space in words, and the labels %q and %q "+
				"are the same without it: choose another format", other, label)
		}
		first[words[i]] = label
	}
	t.Labels, t.Words = words, true
	return t, nil
}

// writeWord2Vec writes the text format of word2vec.
func writeWord2Vec(w io.Writer, t Table) error {
	if _, err := fmt.Fprintf(w, "%d %d\n", len(t.Labels), t.Columns); err != nil {
		return err
	}
	var line []byte
	for i, label := range t.Labels {
		line = append(line[:0], label...)
		for _, x := range t.Row(i) {
			line = append(line, ' ')
			line = strconv.AppendFloat(line, float64(x), 'g', -1, 32)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
