package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestTrainFromEnsemble trains a model from an ensemble. The same training with other teachers is
// another one, and an interrupted one resumes to the same bytes.
func TestTrainFromEnsemble(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	succeed(t, "train --structure simple --dim 16 --epochs 15 --batch 32 --members 2 --keep-members",
		"--dataset", graph, "--out", dir+"/seeds")
	seed1, seed2 := dir+"/seeds/seed-1", dir+"/seeds/seed-2"
	succeed(t, "ensemble --all --dataset", graph, "--out", dir+"/teacher", seed1, seed2)

	line := "train --structure complex --dim 16 --batch 16 --epochs 400 --validate-every 0 " +
		"--patience 0 --no-eval --dataset " + graph
	taught := object(t, line, "--from-ensemble", dir+"/teacher --out", dir+"/taught")
	has(t, taught, fields{"teacher.model": dir + "/teacher", "teacher.teacher_weight": 0.5,
		"teacher.temperature": 2, "teacher.answers": 37})
	contains(t, readFile(t, dir, "taught/model.json"), `"teacher_weight": 0.5`, `"temperature": 2`,
		`"teacher": "`+get(taught, "teacher.teacher").(string)+`"`)
	contains(t, readFile(t, dir, "taught/config.yaml"), "from-ensemble: ", "teacher-weight: 0.5")
	alone := object(t, line, "--out", dir+"/alone")
	has(t, alone, fields{"teacher": nil})
	hasNoTeacher(t, dir+"/alone")
	if last := lossesOf(t, taught)[399]; last == lossesOf(t, alone)[399] {
		t.Errorf("the loss is %v with and without a teacher", last)
	}

	again := line + " --save-every 0s --out " + dir + "/again "
	interrupt(t, dir+"/again", again, "--from-ensemble", dir+"/teacher")
	fail(t, cli.Failed, "it has a model", again, "--from-ensemble", seed1)
	fail(t, cli.Failed, "it has a model", again, "--from-ensemble", dir+"/teacher --temperature 4")
	_, said := succeed(t, again, "--from-ensemble", dir+"/teacher")
	contains(t, said, "resuming the training")
	want, got := folder(t, dir+"/taught"), folder(t, dir+"/again")
	for name, content := range want {
		if strings.HasSuffix(name, ".npy") && got[name] != content {
			t.Errorf("%s differs after an interruption", name)
		}
	}
	// A model that continues without a teacher has none.
	succeed(t, "train --no-eval --epochs 1 --from", dir+"/taught --dataset", graph, "--out", dir+"/more")
	hasNoTeacher(t, dir+"/more")
}

func hasNoTeacher(t *testing.T, model string) {
	t.Helper()
	for _, file := range []string{"model.json", "config.yaml"} {
		if text := readFile(t, model, file); strings.Contains(text, "teacher") {
			t.Errorf("a model without a teacher has %s:\n%s", file, text)
		}
	}
}

// TestTeacherRefused: a teacher must know the graph and no more, and the model must be able to learn
// from it.
func TestTeacherRefused(t *testing.T) {
	graph, dir := smallGraph(t), t.TempDir()
	teacher := dir + "/teacher"
	succeed(t, "train --no-eval --dataset", graph, "--out", teacher, quick)
	line := "train --no-eval --epochs 1 --dim 8 --dataset " + graph + " --from-ensemble " + teacher + " "
	for flags, want := range map[string]string{
		"--teacher-weight 0": "teacher-weight is 0",
		"--temperature 0":    "temperature is 0",
		"--teacher-weight 1": "at least 0 and below 1",
		"--model transe":     "transe scores by distances",
		"--structure complex --sampled-softmax 5 --buckets 8": "8 buckets lack most answers",
		"--model conve-2-4-2 --reciprocal --loss log-loss":    "does not learn from a teacher: leave out the teacher (--from-ensemble)",
	} {
		fail(t, cli.Misuse, want, line, flags)
	}
	fail(t, cli.Failed, "there is no such folder", "train --from-ensemble", dir+"/none --dataset", graph)
	fail(t, cli.Failed, "other entities or relations", "train --dataset world --from-ensemble", teacher)

	// Of this graph, the test triples are training triples of the teacher.
	leaky := filepath.Join(dir, "leaky")
	copyFolder(t, leaky, graph)
	writeFile(t, strings.Join(strings.SplitAfter(readFile(t, graph, "train.txt"), "\n")[:9], ""),
		leaky, "test.txt")
	said := fail(t, cli.Failed, "9 of 9 test triples", "train --dataset", leaky,
		"--from-ensemble", teacher)
	contains(t, flat(said), "train the teacher on leaky, or choose another")

	// A folder that holds another model is refused before the teacher answers.
	said = fail(t, cli.Failed, "it has a model", line, "--structure complex --out", teacher)
	if strings.Contains(said, "learning from") {
		t.Errorf("the teacher has answered before: %s", said)
	}
}

// TestStudentRecordsTeachersData: what the teacher was trained on counts for its student too.
func TestStudentRecordsTeachersData(t *testing.T) {
	t.Setenv("AUTOBLM_BACKEND", "go") // the student learns on GoMLX
	graph, dir := smallGraph(t), t.TempDir()
	less, other := dir+"/less", dir+"/other"
	all := strings.SplitAfter(readFile(t, graph, "train.txt"), "\n")
	kept := len(all) - 6 // the last one is empty
	for _, folder := range []string{less, other} {
		copyFolder(t, folder, graph)
		writeFile(t, strings.Join(all[:kept], ""), folder, "train.txt")
	}
	writeFile(t, strings.Join(all[kept:], ""), other, "test.txt")
	teacher, student := dir+"/teacher", dir+"/student"
	succeed(t, "train --no-eval --engine cpu --dataset", graph, "--out", teacher, quick)
	line := "train --no-eval --structure complex --dim 8 --epochs 1 --from-ensemble "
	succeed(t, line, teacher, "--dataset", less, "--out", student)
	const leak = "5 of 5 test triples"
	found := warningsIn(object(t, "eval --engine cpu --dataset", other, "--model", student), leak)
	if len(found) != 1 {
		t.Errorf("warnings %q", found)
	}
	fail(t, cli.Failed, leak, line, student, "--dataset", other)
}
