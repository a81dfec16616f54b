package classify_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/google/go-cmp/cmp"
)

// friends returns a graph of two classes whose labelled nodes also point at each other, some at
// nodes of their own, and one kind of hub at a node without a label.
func friends() *rdf.Graph {
	g := enginetest.KindsGraph(24)
	for i := range int32(24) {
		g.Triples = append(g.Triples, datasets.Triple{Head: 2 + i, Relation: i / 3 % 2,
			Tail: 2 + (i*7+5)%24})
		if i%3 == 0 {
			g.Triples = append(g.Triples, datasets.Triple{Head: 2 + i, Relation: 0,
				Tail: int32(len(g.Nodes))})
			g.Nodes = append(g.Nodes, "<own:"+g.Nodes[2+i][1:])
		}
	}
	g.Triples = append(g.Triples, datasets.Triple{Head: int32(len(g.Nodes)), Relation: 1, Tail: 0},
		datasets.Triple{Head: int32(len(g.Nodes)), Relation: 0, Tail: 1})
	g.Nodes = append(g.Nodes, "<new>", "_:alone")
	return g
}

// variedSettings returns settings of all encoders with varied options, for short trainings.
func variedSettings() []classify.Settings {
	all := enginetest.Settings()
	for i := range all {
		s := &all[i]
		s.Epochs, s.ValidateEvery, s.Folds, s.Runs = 8, 2, 2, i%3
	}
	return all
}

// TestModelRoundTrip checks that a loaded model equals the saved one.
func TestModelRoundTrip(t *testing.T) {
	g, engine := friends(), cpu.New(0)
	for _, s := range variedSettings() {
		m := trained(t, g, s, member(s.Encoder, "1,-2;2,1"))
		dir := filepath.Join(t.TempDir(), "model")
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
		loaded, err := classify.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, loaded, sameResults); diff != "" {
			t.Errorf("%s: %s", enginetest.Describe(s), diff)
		}
		for _, node := range []string{"<n:3>", "own:n:3", "new", "_:alone", "<hub:0>"} {
			want, err := classify.Ensemble{m}.Predict(t.Context(), engine, g, node, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := classify.Ensemble{loaded}.Predict(t.Context(), engine, g, node, 0)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v, %s", enginetest.Describe(s), node, err, diff)
			}
		}
	}
}

// TestEvaluationMatchesTraining checks that the first model has its test accuracy to the bit, and
// that predictions of nodes match it.
func TestEvaluationMatchesTraining(t *testing.T) {
	g, engine := friends(), cpu.New(0)
	for _, s := range variedSettings() {
		s.Runs = 2
		results, err := trainOnce(t.Context(), g, s, classify.Options{KeepModels: true},
			[]classify.Member{member(s.Encoder, "1,-2;2,1")})
		if err != nil {
			t.Fatal(err)
		}
		r, m := results[0], results[0].Model
		for split, labels := range map[string][]rdf.Label{"train": g.Train, "test": g.Test} {
			all, by, err := classify.Ensemble{m}.Evaluate(t.Context(), engine, g, split)
			if err != nil {
				t.Fatal(err)
			}
			if split == "test" && (all.Accuracy != r.TestAccuracies[0] || *m.Test != all) {
				t.Errorf("%s: %+v, in training %v and %+v", enginetest.Describe(s), all, r.TestAccuracies,
					m.Test)
			}
			nodes, right := 0, 0.0
			for _, e := range by {
				nodes += e.Nodes
				right += e.Accuracy * float64(e.Nodes)
			}
			if nodes != all.Nodes || all.Nodes != len(labels) ||
				math.Abs(right-all.Accuracy*float64(nodes)) > 1e-9 {
				t.Errorf("%s: classes %+v make %+v", enginetest.Describe(s), by, all)
			}
			hits, vague := 0, 0
			for _, l := range labels {
				p, err := classify.Ensemble{m}.Predict(t.Context(), engine, g, g.Nodes[l.Node], 0)
				if err != nil {
					t.Fatal(err)
				}
				total := 0.0
				for i, a := range p.Answers {
					total += a.Probability
					if a.Rank != i+1 || i > 0 && a.Probability > p.Answers[i-1].Probability {
						t.Errorf("%+v are not in order", p.Answers)
					}
				}
				if p.Label == nil || *p.Label != g.Classes[l.Class] || p.Split != split ||
					math.Abs(total-1) > 1e-12 || len(p.Answers) != 2 {
					t.Errorf("%s: %+v", g.Nodes[l.Node], p)
				}
				if p.Answers[0].Class == *p.Label {
					hits++
				}
				if p.Answers[0].Probability < 0.5+1e-5 {
					vague++
				}
			}
			if math.Abs(float64(hits)-right) > float64(vague) {
				t.Errorf("%s: %d of %s are predicted right, %v evaluated", enginetest.Describe(s), hits, split,
					right)
			}
		}
	}
}

// TestUnlabelledNodes checks predictions of unlabelled nodes. A node that points at the hubs like a
// class is of that class. For a node without edges, two models with the same biases agree.
// Embeddings without training are zero.
func TestUnlabelledNodes(t *testing.T) {
	g := enginetest.KindsGraph(24)
	for class := range int32(2) {
		node := int32(len(g.Nodes))
		g.Nodes = append(g.Nodes, []string{"<like a>", "<like b>"}[class])
		g.Triples = append(g.Triples, datasets.Triple{Head: node, Relation: class, Tail: 0},
			datasets.Triple{Head: node, Relation: 1 - class, Tail: 1})
	}
	m := trained(t, g, quick(classify.RGCN), member(classify.RGCN, ""))
	for node, want := range map[string]string{"like a": "a", "<like b>": "b"} {
		p, err := classify.Ensemble{m}.Predict(t.Context(), cpu.New(0), g, node, 1)
		if err != nil || p.Label != nil || p.Split != "" || len(p.Answers) != 1 ||
			p.Answers[0].Class != want || p.Answers[0].Probability < 0.9 {
			t.Errorf("%s: %+v, %v", node, p, err)
		}
	}
	if slices.Contains(m.Entities, "<like a>") || !slices.Contains(m.Entities, "<hub:0>") {
		t.Errorf("the entities %v have embeddings", m.Entities)
	}
}

// TestOtherGraphsAreRefused checks the errors for another graph and for unknown nodes.
func TestOtherGraphsAreRefused(t *testing.T) {
	g, engine := friends(), cpu.New(0)
	m := trained(t, g, quick(classify.GCN), member(classify.GCN, ""))
	other := friends()
	other.Triples = other.Triples[1:]
	_, _, err := classify.Ensemble{m}.Evaluate(t.Context(), engine, other, "test")
	wantError(t, "another graph", err, "not the graph that the model was trained on")
	_, err = classify.Ensemble{m}.Predict(t.Context(), engine, other, "<n:3>", 0)
	wantError(t, "another graph", err, "not the graph that the model was trained on")
	_, _, err = classify.Ensemble{m}.Evaluate(t.Context(), engine, g, "valid")
	wantError(t, "another split", err, `unknown split "valid": use train or test`)
	_, err = classify.Ensemble{m}.Predict(t.Context(), engine, g, "HUB", 0)
	wantError(t, "an unknown node", err, `kinds has no node "HUB"; did you mean <hub:0>, <hub:1>?`)
	_, err = classify.Ensemble{m}.Predict(t.Context(), engine, g, "<n:3>", -1)
	wantError(t, "fewer than none", err, "top is -1")
	_, err = m.Graph(filepath.Join(t.TempDir(), "nowhere"))
	wantError(t, "no graph", err, "nowhere")
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copied")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// dropChecksums makes a folder look like one of another program.
func dropChecksums(t testing.TB, dir string) {
	t.Helper()
	path := filepath.Join(dir, "model.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(`,\s*"checksums": \{[^}]*\}`).ReplaceAll(text, nil)
	if err := os.WriteFile(path, plain, 0o644); err != nil || len(plain) == len(text) {
		t.Fatal("model.json has no checksums", err)
	}
}

// TestChangedModels checks that a changed file is an error, unless the folder has no checksums and
// the file is valid.
func TestChangedModels(t *testing.T) {
	m := trained(t, friends(), quick(classify.RGCN), member(classify.RGCN, ""))
	files, err := m.Files()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if name == "model.json" {
			continue
		}
		broken := copied(t, dir)
		changed := bytes.Clone(content)
		changed[len(changed)-2] ^= 1 // a digit of a number, or a letter of a label
		if err := os.WriteFile(filepath.Join(broken, name), changed, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := classify.Load(broken)
		wantError(t, name, err, filepath.Join(broken, name)+" is damaged, or of another model")
		dropChecksums(t, broken)
		if _, err := classify.Load(broken); err != nil {
			t.Errorf("%s, without checksums: %v", name, err)
		}
	}
}

// TestDamagedModels checks that errors of damaged folders name the file.
func TestDamagedModels(t *testing.T) {
	s := quick(classify.RGCN)
	m := trained(t, friends(), s, member(classify.RGCN, ""))
	dir := filepath.Join(t.TempDir(), "model")
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) func([]byte) []byte {
		return func(content []byte) []byte { return bytes.Replace(content, []byte(old), []byte(new), 1) }
	}
	for name, c := range map[string]struct {
		file   string
		change func([]byte) []byte
		want   string
	}{
		"no description": {"model.json", nil, "it has no model.json"},
		"no JSON":        {"model.json", replace("{", "("), "model.json: invalid character"},
		"another task": {"model.json", replace(`"classify"`, `"completion"`),
			"model.json: the model does not classify nodes"},
		"no fingerprint": {"model.json", replace(`"fingerprint"`, `"finger"`),
			"model.json: the fingerprint of the graph is missing"},
		"another dim": {"model.json", replace(`"dim": 16`, `"dim": 8`),
			"entities.npy: the array has shape"},
		"a dim of nothing": {"model.json", replace(`"dim": 16`, `"dim": 0`), "model.json: dim is 0"},
		"an absurd dim": {"model.json", replace(`"dim": 16`, `"dim": 1048576`),
			"entities.npy: the array has shape"},
		"another encoder":    {"model.json", replace(`"rgcn"`, `"gcn"`), "layer-1-message-weights.npy"},
		"an unknown encoder": {"model.json", replace(`"rgcn"`, `"gat"`), `unknown encoder "gat"`},
		"a structure needed": {"model.json", replace(`"rgcn"`, `"blm"`),
			"model.json: the encoder blm needs a structure"},
		"no embeddings": {"entities.npy", nil, "cannot read the model"},
		"fewer entities": {"entities.txt", func(text []byte) []byte {
			return text[bytes.IndexByte(text, '\n')+1:]
		}, "entities.txt has 33 labels, not 34"},
		"a class twice": {"classes.txt", replace("b", "a"), "classes.txt:2: "},
		"another class": {"classes.txt", replace("b", "b\nc"),
			"output-weights.npy: the array has shape"},
		"no relations": {"relations.txt", nil, "relations.txt"},
		"cut short": {"layer-1-bases.npy", func(content []byte) []byte {
			return content[:200]
		}, "layer-1-bases.npy: the array has 72 bytes of numbers"},
		"not a number": {"output-bias.npy", func(content []byte) []byte {
			return append(content[:len(content)-4], 0, 0, 0xc0, 0x7f)
		}, "output-bias.npy: number 2 is NaN"},
	} {
		broken := copied(t, dir)
		dropChecksums(t, broken)
		path := filepath.Join(broken, c.file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			if err := os.WriteFile(path, c.change(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err = classify.Load(broken)
		wantError(t, name, err, c.want)
	}
	m.Tables[0][3] = float32(math.Inf(1))
	wantError(t, "an infinite number", m.Save(filepath.Join(t.TempDir(), "x")),
		"save the model: entities: number 4 is +Inf")
	m.Tables = m.Tables[1:]
	wantError(t, "a table too few", m.Save(filepath.Join(t.TempDir(), "x")),
		"save the model: there are")
}
