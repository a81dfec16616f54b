package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/record"
)

func readResult(t *testing.T, folder string) reproduce.Document {
	t.Helper()
	d, err := record.Read[reproduce.Result](filepath.Join(folder, "result.json"))
	must(t, err)
	return d
}

// planOf returns the plan of a command line.
func planOf(t *testing.T, line string) reproduce.Plan {
	t.Helper()
	c, parsed, err := parse(line)
	must(t, err)
	plan, err := c.Reproduce.plan(parsed)
	must(t, err)
	return plan
}

// TestReproduce runs all stages on both engines. The file has the result and its setup, and the
// same command reads it without training.
func TestReproduce(t *testing.T) {
	standIn(t, "umls")
	for engine, flags := range map[string]string{"cpu": "", "gomlx": "--backend go "} {
		out := t.TempDir() + "/out"
		line := "reproduce umls --minutes 1 --budget 9 --dim 8 --epochs 6 --engine " + engine + " " +
			flags + "--out " + out
		o := object(t, line)
		d := readResult(t, out)
		var written map[string]any
		must(t, json.Unmarshal([]byte(asText(t, d)), &written))
		written["warnings"] = o["warnings"] // not in the file
		same(t, "the file", written, o)
		r := d.Result
		if !r.Complete || r.Engine != engine || r.Dataset != "umls" || r.Stage != reproduce.All ||
			r.Search.Recipe != "small-search" || r.Search.Trained != 9 {
			t.Errorf("%s: %+v", engine, r)
		}
		if f := r.Final; f.Recipe != "small" || f.Epochs != 6 || f.Training.Settings.Dim != 8 ||
			!f.Training.Settings.Reciprocal || f.Published.MRR != 0.94 ||
			f.Training.Member.Structure != r.Search.Best[0].Structure {
			t.Errorf("%s: %+v", engine, f)
		}
		if !strings.Contains(d.Command, "reproduce umls --minutes 1") ||
			strings.Contains(d.Command, filepath.Dir(out)) ||
			!strings.Contains(d.Machine, "engine "+engine) || d.Versions["go"] != runtime.Version() {
			t.Errorf("%s: command %q on %q with %v", engine, d.Command, d.Machine, d.Versions)
		}
		same(t, "the plan by config.yaml", planOf(t, "reproduce umls --config "+out+"/config.yaml").Final,
			planOf(t, line).Final)
		before := readFile(t, out, "result.json")
		same(t, "the second time", object(t, line), o)
		if readFile(t, out, "result.json") != before {
			t.Errorf("%s: the second time wrote another file", engine)
		}
		has(t, object(t, "eval --dataset umls --model", out+"/model", "--engine", engine),
			fields{"test.both.mrr": r.Final.Test.Both.MRR})
	}
}

// TestReproduceFollowsItsFlags: recipe, structure, seed and single settings.
func TestReproduceFollowsItsFlags(t *testing.T) {
	standIn(t, "umls", "wn18rr", "fb15k-237")
	t.Chdir(t.TempDir())
	final := func(flags string) reproduce.Trained {
		succeed(t, "reproduce --stage final --epochs 1 --dim 8", flags)
		folders, err := filepath.Glob(outFolder + "/*")
		if err != nil || len(folders) != 1 {
			t.Fatalf("%v: the folders are %v, %v", flags, folders, err)
		}
		d := readResult(t, folders[0])
		must(t, os.RemoveAll(outFolder))
		return *d.Result.Final
	}
	paper := final("wn18rr")
	if paper.Recipe != "paper" ||
		paper.Training.Member.Structure.String() != "4,1,0,0;2,4,0,-1;0,0,3,-2;0,-2,-1,4" ||
		paper.Training.Settings.MaxNorm != 1 || paper.Published.MRR != 0.49 {
		t.Errorf("the paper's: %+v", paper)
	}
	rp := final("fb15k-237 --recipe rp --seed 4 --batch 256 --structure simple")
	m := rp.Training.Member
	if rp.Recipe != "rp" || m.RelationPrediction != 4 || m.N3 != 0.1 || m.Seed != 4 ||
		m.Structure.Name() != "simple" || rp.Training.Settings.Batch != 256 || rp.Published.MRR != 0.388 {
		t.Errorf("another recipe: %+v", rp)
	}
	rescal := final("wn18rr --recipe rescal --dim 6")
	if m := rescal.Training.Member; m.Form != form.GQE || m.Structure.K() != 0 || m.Products != 0.2 ||
		rescal.Title() != "RESCAL" || rescal.Test == nil || rescal.Published.MRR != 0.498 {
		t.Errorf("a form: %+v", rescal)
	}
	dura := final("wn18rr --recipe dura --dura 0.5 --entity-l2 0")
	if m := dura.Training.Member; m.Products != 0.5 || m.EntityL2 != 0 || m.LearningRate != 0.1 {
		t.Errorf("with --dura: %+v", dura)
	}
}

func TestReproduceRefusals(t *testing.T) {
	standIn(t, "umls", "fb15k-237")
	out := t.TempDir() + "/out"
	final := "reproduce umls --stage final --dim 8 --out " + out
	object(t, final, "--epochs 1")
	rescal := "reproduce fb15k-237 --recipe rescal"
	for _, r := range []refusal{
		{cli.Misuse, "no recipe for nowhere", "reproduce nowhere"},
		{cli.Misuse, "no recipe n3 for umls", "reproduce umls --recipe n3"},
		{cli.Misuse, "multiple of the 4 chunks", "reproduce umls --dim 10"},
		{cli.Misuse, "set stage to final", rescal},
		{cli.Misuse, "gqe has no structure", rescal + " --stage final --structure simple"},
		{cli.Misuse, "--stage all finds its own", "reproduce umls --structure simple"},
		{cli.Misuse, "use --stage final", "reproduce wn18rr --recipe bique"},
		{cli.Failed, "is not on this machine", "reproduce wn18rr --recipe bique --stage final"},
		{cli.Misuse, "must divide", "reproduce wn18rr --stage final --recipe n3 --n3-block 8"},
		// The structures of a study may have eight chunks.
		{cli.Failed, "is not on this machine", "reproduce wn18rr --stage final --recipe n3 --n3-block 8" +
			" --study " + out + "/result.json"},
		{cli.Failed, "is not on this machine", "reproduce wn18rr"},
		{cli.Failed, "result of another training", final + " --epochs 2"},
		{cli.Failed, "has no structure: give one", final + "2 --recipe small-search"},
		{cli.Failed, "no epoch completed before", "reproduce umls --minutes 1e-9 --out " + out + "3"},
		{cli.Failed, "try a smaller learning rate", final + "4 --epochs 3 --lr 1e38"},
		{cli.Failed, "cannot make the folder", "reproduce umls --out " + out + "/result.json/x"},
	} {
		fail(t, r.status, r.text, r.line)
	}
	if config := string(readFile(t, out+"/config.yaml")); !strings.Contains(config, "epochs: 1\n") {
		t.Errorf("a refused training changed the settings to\n%s", config)
	}
	writeFile(t, "{", out, "result.json")
	fail(t, cli.Failed, "result.json", "reproduce umls --out", out)
}

// finalOf is a final training that takes some time.
func finalOf(out string) string {
	return "reproduce umls --stage final --dim 32 --epochs 2000 --batch 16 --validate-every 7 " +
		"--engine cpu --save-every 0s --out " + out
}

// untimedFinal returns a result without times.
func untimedFinal(t *testing.T, out string) string {
	t.Helper()
	final := readResult(t, out).Result.Final
	final.Seconds = kge.Timing{}
	return asText(t, final)
}

// TestReproduceInPieces: after interruptions, kills and deadlines the result has the same bits.
func TestReproduceInPieces(t *testing.T) {
	standIn(t, "umls")
	dir := t.TempDir()
	alone, pieces := filepath.Join(dir, "alone"), filepath.Join(dir, "pieces")
	began := time.Now()
	object(t, finalOf(alone))
	took := time.Since(began)
	training := filepath.Join(pieces, "final.training")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once an epoch is kept
		for stamp(training) == "" && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	stderr := failIn(ctx, t, cli.Failed, "interrupted; resume with: ", finalOf(pieces))
	contains(t, stderr, "reproduce umls --stage final")
	if d := readResult(t, pieces); d.Result.Complete || d.Result.Final != nil &&
		d.Result.Final.Test != nil {
		t.Errorf("interrupted: %+v", d.Result)
	}

	for range 3 {
		before := stamp(training)
		killed := startProgram(t, finalOf(pieces))
		for deadline := time.Now().Add(20 * time.Second); stamp(training) == before &&
			time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if stamp(training) == before {
			t.Fatalf("nothing was kept: %s", killed.Stderr)
		}
		_ = killed.Process.Kill()
		_ = killed.Wait()
	}

	minutes := max(took/4, 300*time.Millisecond).Minutes()
	stdout, _ := succeed(t, finalOf(pieces), "--minutes", fmt.Sprint(minutes))
	if r := readResult(t, pieces).Result; !r.Complete &&
		(r.Final.Test == nil || !strings.Contains(stdout, "stopped by its deadline")) {
		t.Errorf("out of time: %q, %+v", stdout, r.Final)
	}
	object(t, finalOf(pieces))
	if got, want := untimedFinal(t, pieces), untimedFinal(t, alone); got != want {
		t.Errorf("in pieces\n%s\nleft alone\n%s", got, want)
	}
	if isFile(training) {
		t.Error("what is needed on the way only is still there")
	}
	for _, name := range []string{"entities.npy", "relations.npy", "model.json"} {
		if readFile(t, alone, "model", name) != readFile(t, pieces, "model", name) {
			t.Errorf("%s differs from that of a training left alone", name)
		}
	}
}

// TestReproduceText prints the result next to the published one.
func TestReproduceText(t *testing.T) {
	standIn(t, "umls")
	out, other := t.TempDir()+"/out", t.TempDir()
	writeFile(t, "{}", other, "model.json")
	fail(t, cli.Failed, "it has a model", "reproduce umls --out "+other)
	stdout, _ := succeed(t, "reproduce umls --verbose --budget 6 --dim 8 --epochs 2 --out", out)
	contains(t, stdout, "6 of 6 structures", "QuatE", "found 1", "2 of 2 epochs", "published: ConvE",
		"0.940", "valid, epoch 2", out)
}

// TestReproduceUMLS runs the command of the README on the real graph with a small budget.
func TestReproduceUMLS(t *testing.T) {
	t.Setenv("AUTOBLM_DATA", filepath.Dir(realdata.Folder(t, "umls")))
	o := object(t, "reproduce umls --minutes 1 --budget 8 --out", t.TempDir()+"/out")
	if get(o, "result.complete") != true {
		t.Skip("a minute was not enough here")
	}
	if mrr := number(t, o, "result.final.test.both.mrr"); mrr < 0.9 {
		t.Errorf("test MRR %v, want 0.9 or more", mrr)
	}
}

// TestReproduceOnAnotherEngine: another engine resumes only with --mix-engines.
func TestReproduceOnAnotherEngine(t *testing.T) {
	standIn(t, "umls")
	search := "reproduce umls --stage search --out " + t.TempDir() + "/out --budget "
	succeed(t, search, "7 --engine cpu")
	const elsewhere = "8 --engine gomlx --backend go"
	contains(t, fail(t, cli.Failed, "--mix-engines", search, elsewhere), "results of gomlx (go)")
	succeed(t, search, elsewhere, "--mix-engines")
}

// TestReproducedModelStays: commands on the study of a reproduction do not replace the model of its final
// training, and a larger budget does not search for another structure first.
func TestReproducedModelStays(t *testing.T) {
	standIn(t, "umls")
	t.Chdir(t.TempDir())
	const line = "reproduce umls --dim 8 --epochs 2 --out out --budget "
	succeed(t, line, "6")
	before := readFile(t, "out", "model", "model.json")
	refuse(t, []refusal{
		{cli.Misuse, "out is of a reproduction, which its own command resumes: name another folder with --out", "study best out"},
		{cli.Misuse, "name another folder with --out", "study resume out --budget 8"},
		{cli.Failed, "the final training of the best of 6 structures: use another folder for the best of 8", line + "8"},
	})
	if readFile(t, "out", "model", "model.json") != before {
		t.Error("the model is another one")
	}
	shown, _ := succeed(t, "study show out")
	if strings.Contains(shown, "study resume") {
		t.Errorf("it recommends what is refused:\n%s", shown)
	}
	succeed(t, "study best out --out best")
	succeed(t, "reproduce umls --stage search --dim 8 --epochs 2 --out searched --budget 6")
	succeed(t, "study best searched")
	must(t, os.RemoveAll("out/model"))
	fail(t, cli.Failed, "the final training of the reproduction there has no model yet", "eval --model out")
	if n := number(t, object(t, line, "6"), "result.search.trained"); n != 6 {
		t.Errorf("the first command gives %v structures", n)
	}
}

// TestStructureOfAStudy: a final training takes the structure of a study, by its folder or file, and writes
// it into its settings. What is no study is an error.
func TestStructureOfAStudy(t *testing.T) {
	standIn(t, "umls")
	t.Chdir(t.TempDir())
	succeed(t, "reproduce umls --stage search --dim 8 --epochs 2 --budget 6 --out searched")
	final := "reproduce umls --stage final --dim 8 --epochs 1 --out "
	for _, study := range []string{"searched", "searched/study.db"} {
		out := "final-" + filepath.Base(study)
		succeed(t, final, out, "--study", study)
		m := readResult(t, out).Result.Final.Training.Member
		if best := readResult(t, "searched").Result.Search.Best[0]; m.Structure != best.Structure {
			t.Errorf("%s: trained %v, the best is %v", study, m.Structure, best.Structure)
		}
		succeed(t, "reproduce umls --config", out+"/config.yaml", "--out", out+"-again")
		same(t, "the structure of config.yaml", readResult(t, out+"-again").Result.Final.Training.Member, m)
	}
	refuse(t, []refusal{
		{cli.Misuse, "there is no study serched to take the structure from", final + "none --study serched"},
		{cli.Misuse, "has no study.db", final + "none --study ."},
		{cli.Misuse, "--stage final trains here", final + "none --cluster nats://127.0.0.1:1"},
	})
}
