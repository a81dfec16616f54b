package exchange

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// parquetRow is a row of a Parquet file.
type parquetRow struct {
	Label     string    `parquet:"label"`
	Embedding []float32 `parquet:"embedding,list"`
}

// writeParquet writes a column of labels and one of lists.
func writeParquet(w io.Writer, t Table) error {
	out := parquet.NewGenericWriter[parquetRow](w)
	const most = 1024 // rows at once
	rows := make([]parquetRow, 0, most)
	for i, label := range t.Labels {
		rows = append(rows, parquetRow{label, t.Row(i)})
		if len(rows) == most || i == len(t.Labels)-1 {
			if _, err := out.Write(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return out.Close()
}
