package facts

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// parquetMagic begins a file of Parquet.
const parquetMagic = "PAR1"

// readParquet reads the rows of a file of Parquet. Its columns are flat; nested ones are left out.
func readParquet(r *reader) (err error) {
	defer func() { // the library panics at some damaged files
		if failed := recover(); failed != nil {
			err = r.damaged(fmt.Errorf("%v", failed))
		}
	}()
	file, size, err := r.seekable()
	if err != nil {
		return r.damaged(err)
	}
	opened, err := parquet.OpenFile(file, size)
	if err != nil {
		return r.damaged(err)
	}
	var names []string
	var places []int // in names, of each leaf; -1 for nested ones
	for _, path := range opened.Schema().Columns() {
		place := -1
		if leaf, _ := opened.Schema().Lookup(path...); len(path) == 1 && !leaf.Node.Repeated() {
			place = len(names)
			names = append(names, path[0])
		}
		places = append(places, place)
	}
	t := table{reader: r, titled: true}
	if err := t.row(0, names); err != nil {
		return err
	}
	return t.rowGroups(opened, places)
}

// rowGroups reads all rows.
func (t *table) rowGroups(file *parquet.File, places []int) error {
	line, cells := 0, make([]string, t.width)
	add := func(row parquet.Row) error {
		line++
		clear(cells)
		for _, value := range row {
			if place := places[value.Column()]; place >= 0 && !value.IsNull() {
				cells[place] = value.String()
			}
		}
		return t.row(line, cells)
	}
	for _, group := range file.RowGroups() {
		if err := t.rows(group.Rows(), add); err != nil {
			return err
		}
	}
	return nil
}

// rows calls visit with each row of a group, and closes the group.
func (t *table) rows(rows parquet.Rows, visit func(parquet.Row) error) error {
	defer rows.Close()
	buffer := make([]parquet.Row, 256)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := visit(row); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return t.damaged(err)
		case n == 0:
			return t.damaged(io.ErrNoProgress)
		}
	}
}

// seekable returns the file, or its content in memory if it is packed or a pipe.
func (r *reader) seekable() (io.ReaderAt, int64, error) {
	if info, err := r.file.Stat(); err == nil && info.Mode().IsRegular() && !r.packed {
		return r.file, info.Size(), nil
	}
	content, err := io.ReadAll(r)
	return bytes.NewReader(content), int64(len(content)), err
}

func (r *reader) damaged(err error) error {
	return fmt.Errorf("%s: damaged Parquet: %w; write the file again", r.path, err)
}
