package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// logRows returns the rows of a log without their seconds.
func logRows(t *testing.T, file string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(readFile(t, file))).ReadAll()
	must(t, err)
	same(t, "the header", rows[0],
		[]string{"epoch", "step", "seconds", "loss", "learning rate", "valid MRR"})
	for _, row := range rows[1:] {
		row[2] = ""
	}
	return rows[1:]
}

// TestTrainLog: a log has the losses, learning rates and validations of the training.
func TestTrainLog(t *testing.T) {
	dir := t.TempDir()
	o := object(t, "train --structure simple --dim 8 --epochs 6 --validate-every 2 --decay 0.5 --lr 0.1",
		"--dataset", smallGraph(t), "--out", dir+"/out --log-dir", dir+"/events --log", dir+"/log.csv")
	rows := logRows(t, dir+"/log.csv")
	if len(rows) != 6 {
		t.Fatalf("%d rows: %v", len(rows), rows)
	}
	for i, row := range rows {
		loss := number(t, o, fmt.Sprintf("loss.%d", i))
		mrr := ""
		if i%2 == 1 {
			mrr = strconv.FormatFloat(number(t, o, fmt.Sprintf("validations.%d.mrr", i/2)), 'g', -1, 64)
		}
		step, _ := strconv.Atoi(rows[0][1])
		want := []string{
			strconv.Itoa(i + 1), strconv.Itoa((i + 1) * step), "", strconv.FormatFloat(loss, 'g', -1, 64),
			strconv.FormatFloat(0.1/float64(int(1)<<i), 'g', -1, 64), mrr,
		}
		same(t, "a row", row, want)
	}
	events, err := filepath.Glob(dir + "/events/events.out.tfevents.*")
	must(t, err)
	if len(events) != 1 {
		t.Errorf("event files: %v", events)
	}
}

// TestLogOfAResumedTraining has each epoch once.
func TestLogOfAResumedTraining(t *testing.T) {
	dir := t.TempDir()
	line := "train --structure simple --dim 4 --epochs 1500 --validate-every 100 --patience 0 --no-eval" +
		" --dataset " + smallGraph(t)
	succeed(t, line, "--out", dir+"/whole --log", dir+"/whole.csv")
	line += " --out " + dir + "/resumed --log " + dir + "/resumed.csv"
	interruptEarly(t, line)
	// A kill may leave rows after the checkpoint, the last one incomplete.
	log, err := os.OpenFile(dir+"/resumed.csv", os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = log.WriteString("1499,1,1.000,0.5,0.1,\n1500,1,1.0")
	must(t, err)
	must(t, log.Close())
	o := object(t, line)
	if number(t, o, "resumed") == 0 {
		t.Error("the training did not resume")
	}
	same(t, "the log", logRows(t, dir+"/resumed.csv"), logRows(t, dir+"/whole.csv"))
}

func TestRefusedLogs(t *testing.T) {
	train := "train --dataset world --out " + t.TempDir() + quick
	other := writeFile(t, "a,b\n1,2\n", t.TempDir(), "other.csv")
	fail(t, cli.Failed, "is not the log of a training", train, "--log", other)
	fail(t, cli.Failed, "nowhere", train, "--log /nowhere/log.csv")
	fail(t, cli.Failed, other, train, "--log-dir", other)
}
