package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// maker is a command that makes something at out, says how, and can be checked.
type maker struct {
	out   string // what it makes, also where that is a file in a folder
	keeps string // how it says where that is, before its path
	line  string
}

// makers are small runs of all commands that make something, by name.
func makers(t *testing.T) map[string]maker {
	t.Helper()
	standIn(t, "umls")
	dir, graph := t.TempDir(), " --dataset "+smallGraph(t)
	study, seeds := dir+"/study.db", dir+"/seeds"
	object(t, "search --recipe basic --study", study, "--out", dir+"/searched", graph, quickSearch)
	object(t, "train --members 2 --keep-members --out", seeds, graph, quick)
	all := map[string]maker{}
	add := func(name, file, keeps, flags string) {
		folder := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		all[name] = maker{filepath.Join(folder, file), keeps, name + " --out " + folder + " " + flags}
	}
	for _, name := range []string{"search", "ablate"} { // the folder of the study, which is kept
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	add("query sample", "", "the queries are in ", "--hops 2 --count 9"+graph)
	add("dataset import", "", "the splits are in ",
		strings.TrimPrefix(graph, " --dataset ")+"/train.txt")
	add("search", "study.db", "the study is ", "--recipe basic"+graph+quickSearch)
	add("ablate", "predictor.csv", "the studies are in ", "predictor --seeds 1"+graph+quickSearch)
	add("report", "", "the report is ", "--study "+study)
	add("study best", "model.json", "the model is in ", study)
	add("study export", "", "the trials are in ", "--csv "+study)
	add("study resume", "best.png", "the study is ", "--budget 7 "+study)
	add("reproduce", "result.json", "the result is ", "umls --stage final --epochs 1 --dim 8")
	add("ensemble", "model.json", "the ensemble is in ",
		"--all "+seeds+"/seed-1 "+seeds+"/seed-2"+graph)
	add("train", "model.json", "the model is in ", graph+quick)
	add("query train", "model.json", "the model is in ", "--hops 2 --dataset "+queries(t)+quick)
	add("classify train", "model.json", "the model is in ",
		"--structure distmult --dim 4 --epochs 2 --runs 1 --dataset "+kinds(t, nil))
	return all
}

// TestUnprintableResults: a result that cannot be printed or recorded is saved, and the error names
// its place.
func TestUnprintableResults(t *testing.T) {
	for name, m := range makers(t) {
		t.Run(name, func(t *testing.T) {
			for _, form := range []string{"", " --json"} {
				for why, w := range map[string]io.Writer{"broken pipe": closedPipe(t),
					"no space left on device": full(t)} {
					must(t, os.RemoveAll(m.out))
					var messages bytes.Buffer
					status := run(t.Context(), strings.Fields(m.line+form), w, &messages)
					contains(t, messages.String(), "cannot print the result: "+why+"; ", m.keeps)
					info, err := os.Stat(m.out)
					if err != nil || status != cli.Failed || info.Size() == 0 {
						t.Errorf("%q, %s: status %d, %v", form, why, status, err)
					}
				}
			}
		})
	}
}

// closedPipe returns a pipe that nobody reads.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	reader, pipe, err := os.Pipe()
	must(t, err)
	reader.Close()
	t.Cleanup(func() { pipe.Close() })
	return pipe
}

// full is a file that nothing can be written to, /dev/full where there is one.
func full(t *testing.T) io.Writer {
	t.Helper()
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return &limited{0, syscall.ENOSPC}
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// TestClosedPipe: a closed pipe does not end a command before it saves its results.
func TestClosedPipe(t *testing.T) {
	m := makers(t)["train"]
	command := programOf(t, m.line)
	command.Stdout = closedPipe(t)
	err := command.Run()
	contains(t, command.Stderr.(*bytes.Buffer).String(), m.keeps)
	if command.ProcessState.ExitCode() != cli.Failed || !isFile(m.out) {
		t.Errorf("%v", err)
	}
}

// TestUnprintableHelp: help that cannot be printed is a failure, help that is read in part is not.
func TestUnprintableHelp(t *testing.T) {
	for says, w := range map[string]io.Writer{"": &limited{1, syscall.EPIPE},
		"autoblm: cannot print the result: no space left on device\n": &limited{0, syscall.ENOSPC}} {
		var messages bytes.Buffer
		status := run(t.Context(), []string{"train", "--help"}, w, &messages)
		if status != cli.Failed || messages.String() != says {
			t.Errorf("status %d, %q; want %q", status, messages.String(), says)
		}
	}
}

// limited takes so many writes, and fails then.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left--; l.left < 0 {
		return 0, l.err
	}
	return len(p), nil
}

// TestRecordIsCheckedFirst: a command checks the file of its record before its work.
func TestRecordIsCheckedFirst(t *testing.T) {
	for name, m := range makers(t) {
		file := filepath.Join(t.TempDir(), "none", "x.json")
		refuse(t, []refusal{{cli.Failed, file, m.line + " --record " + file}})
		if _, err := os.Stat(m.out); err == nil {
			t.Errorf("%s worked before it looked where its record goes", name)
		}
	}
}

// TestForeignFilesAreKept: a command does not replace files that are not of its own kind.
func TestForeignFilesAreKept(t *testing.T) {
	dir, folder := t.TempDir(), smallGraph(t)
	graph, triples := " --dataset "+folder+" ", folder+"/train.txt"
	study, model, seeds := dir+"/s.db", dir+"/m", dir+"/seeds"
	object(t, "search --recipe basic --study", study, "--out", dir+"/out", graph, quickSearch)
	object(t, "study best", study, "--out", model)
	symbolic, hard := dir+"/symbolic", dir+"/hard"
	if err := errors.Join(os.Symlink(study, symbolic), os.Link(study, hard)); err != nil {
		t.Skip(err)
	}
	object(t, "train --members 2 --keep-members --out", seeds, graph, quick)
	one := seeds + "/seed-1"
	writeFile(t, "r\n", dir, "none", "seed-9", "relations.txt")
	labels := filepath.Dir(writeFile(t, "a\n", t.TempDir(), "entities.txt"))
	content := func() (all string) {
		for _, file := range []string{study, symbolic, hard, triples, model + "/model.json",
			one + "/model.json", labels + "/entities.txt"} {
			all += file + readFile(t, file)
		}
		return all
	}
	before := content()
	report, export := "report --study "+study+" --out ", "study export --csv "+study+" --out "
	show, eval := "study show "+study+" --record ", "eval --model "+model+graph+"--record "
	train := "train --structure simple" + graph + "--out "
	ensemble := "ensemble " + one + " " + seeds + "/seed-2" + graph + "--out "
	for _, c := range []refusal{
		{cli.Failed, "is a study", report + study},
		{cli.Failed, "is a study", report + dir + "/../" + filepath.Base(dir) + "/s.db"},
		{cli.Failed, "is a study", report + symbolic},
		{cli.Failed, "is a study", report + hard},
		{cli.Failed, "is not a page", report + triples},
		{cli.Failed, "is a folder", report + dir},
		{cli.Failed, "no regular file", report + os.DevNull},
		{cli.Failed, "is a study", export + study},
		{cli.Failed, "is a study", export + symbolic},
		{cli.Failed, "is a study", show + study},
		{cli.Failed, "is a study", show + hard},
		{cli.Failed, "is a folder", show + model},
		{cli.Failed, "is not a record", eval + model + "/model.json"},
		{cli.Failed, "is not a record", eval + triples},
		{cli.Failed, "written twice", report + dir + "/x --record " + dir + "/x"},
		{cli.Failed, "of other data", "study best " + study + " --out " + labels},
		{cli.Failed, "of other data", train + labels},
		{cli.Failed, "of other data", train + dir + "/none --keep-members --seed 9"},
		{cli.Failed, "of other data", ensemble + labels},
		{cli.Failed, "it has a model (", ensemble + model},
		{cli.Failed, "it contains the candidate", ensemble + one},
		{cli.Failed, "it contains the candidate", ensemble + seeds},
		{cli.Failed, "cannot make the folder", ensemble + triples},
	} {
		refuse(t, []refusal{c})
		if content() != before {
			t.Fatalf("%s: something was replaced", c.line)
		}
	}
	for range 2 { // what is its own is replaced
		object(t, report, dir+"/page.html", "--record", dir+"/record.json")
		object(t, export, dir+"/trials.csv")
		object(t, "study best", study, "--out", model)
		object(t, ensemble, dir+"/ensemble")
	}
}
