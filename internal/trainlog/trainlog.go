// Package trainlog writes the course of a training while it runs: a CSV file, and event files for
// TensorBoard.
package trainlog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/tfevents"
)

// Row has the results of an epoch.
type Row struct {
	// Epoch counts from 1. Step is the number of steps so far.
	Epoch, Step int
	// Seconds is the time of training and validation so far.
	Seconds            float64
	Loss, LearningRate float64
	// MRR is the filtered MRR of the validation after the epoch; nil without one.
	MRR *float64
}

var columns = []string{"epoch", "step", "seconds", "loss", "learning rate", "valid MRR"}

// File is the kind of the CSV file.
var File = outfile.Table("the log of a training", columns[:5]...)

// Log writes rows. The zero value writes nothing.
type Log struct {
	// CSV is the file for the rows, "" for none. Folder gets event files, unless it is "".
	CSV, Folder string

	csv    *os.File
	events *tfevents.Writer
}

// Add writes a row. The first row of a Log replaces rows of the same and of later epochs, which a
// killed training may have written after its checkpoint.
func (l *Log) Add(r Row) error { return errors.Join(l.addToCSV(r), l.addToEvents(r)) }

func (l *Log) addToCSV(r Row) (err error) {
	if l.CSV == "" {
		return nil
	}
	if l.csv == nil {
		if err := keepBefore(l.CSV, r.Epoch); err != nil {
			return err
		}
		if l.csv, err = os.OpenFile(l.CSV, os.O_APPEND|os.O_WRONLY, 0); err != nil {
			return err
		}
	}
	_, err = l.csv.Write(line(r.cells()))
	return err
}

// keepBefore creates the file, or removes its rows from an epoch on.
func keepBefore(file string, epoch int) error {
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kept := line(columns)
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord = len(columns)
	for {
		cells, err := reader.Read()
		if err != nil { // the end, or a row that was not completely written
			break
		}
		if n, err := strconv.Atoi(cells[0]); err == nil && n < epoch {
			kept = append(kept, line(cells)...)
		}
	}
	return atomicfile.Write(file, kept)
}

// line returns a line of CSV.
func line(cells []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(cells) // into memory
	w.Flush()
	return b.Bytes()
}

func (r Row) cells() []string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	mrr := ""
	if r.MRR != nil {
		mrr = number(*r.MRR)
	}
	return []string{
		strconv.Itoa(r.Epoch), strconv.Itoa(r.Step), strconv.FormatFloat(r.Seconds, 'f', 3, 64),
		number(r.Loss), number(r.LearningRate), mrr,
	}
}

func (l *Log) addToEvents(r Row) (err error) {
	if l.Folder == "" {
		return nil
	}
	now := time.Now()
	if l.events == nil {
		if l.events, err = tfevents.Create(l.Folder, now, r.Step); err != nil {
			return err
		}
	}
	scalars := []tfevents.Scalar{
		{Tag: "train/loss", Value: r.Loss}, {Tag: "train/learning rate", Value: r.LearningRate},
	}
	if r.MRR != nil {
		scalars = append(scalars, tfevents.Scalar{Tag: "valid/MRR", Value: *r.MRR})
	}
	return l.events.Add(now, r.Step, scalars...)
}

// Close closes the files.
func (l *Log) Close() error {
	var errs []error
	if l.csv != nil {
		errs = append(errs, l.csv.Close())
	}
	if l.events != nil {
		errs = append(errs, l.events.Close())
	}
	return errors.Join(errs...)
}
