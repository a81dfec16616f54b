package exchange

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/require"
)

// libraryScores are the scores of a library for a relation and an entity at its other end.
type libraryScores struct {
	Relation, Entity string
	Tails, Heads     map[string]float64
}

// checkScores compares the scores of a model with those of a library, in both directions.
func checkScores(t *testing.T, m *kge.Model, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var all []libraryScores
	require.NoError(t, json.Unmarshal(text, &all))
	for _, s := range all {
		anchor := int32(slices.Index(m.EntityLabels, s.Entity))
		relation := int32(slices.Index(m.RelationLabels, s.Relation))
		if anchor < 0 || relation < 0 {
			t.Fatalf("%q or %q is no label of %q, %q", s.Entity, s.Relation, m.EntityLabels,
				m.RelationLabels)
		}
		for direction, want := range []map[string]float64{s.Tails, s.Heads} {
			q := kge.Question{Anchor: anchor, Path: []int32{2*relation + int32(direction)}}
			score := m.Scorer(q, len(m.RelationLabels))
			for label, w := range want {
				got := score(int32(slices.Index(m.EntityLabels, label)))
				if math.Abs(got-w) > 1e-12 {
					t.Fatalf("%s, %s, direction %d, answer %s: %v, want %v",
						s.Entity, s.Relation, direction, label, got, w)
				}
			}
		}
	}
	if len(all) != 10 {
		t.Errorf("%d questions", len(all))
	}
	if err := m.Save(filepath.Join(t.TempDir(), "model")); err != nil {
		t.Error(err)
	}
}

// TestPyKEEN imports models that PyKEEN wrote, whole and as a state_dict.
func TestPyKEEN(t *testing.T) {
	folders, _ := filepath.Glob("testdata/pykeen/*-*")
	if len(folders) != 8 {
		t.Fatal(folders)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			m, err := Import(ImportOptions{File: folder, From: "pykeen"})
			require.NoError(t, err)
			checkScores(t, m, filepath.Join(folder, "scores.json"))
			name, _, _ := strings.Cut(filepath.Base(folder), "-")
			state := ImportOptions{
				File: filepath.Join(folder, "state.pt"), From: "pykeen", Structure: name,
			}
			if m, err = Import(state); err != nil {
				t.Fatal(err)
			}
			checkScores(t, m, filepath.Join(folder, "scores.json"))
			if strings.HasSuffix(folder, "inverse") != m.Reciprocal {
				t.Errorf("reciprocal is %v", m.Reciprocal)
			}
		})
	}
}

// TestLibKGE imports checkpoints of LibKGE, with labels and without.
func TestLibKGE(t *testing.T) {
	for name, folder := range map[string]string{
		"complex-8": "", "complex-6-reciprocal-old": "testdata/libkge",
		"distmult-4-reciprocal": "", "distmult-4-old": "testdata/libkge",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "libkge", name)
			m, err := Import(ImportOptions{File: path + ".pt", From: "libkge", Dataset: folder})
			require.NoError(t, err)
			checkScores(t, m, path+".json")
		})
	}
}

func TestImportErrors(t *testing.T) {
	complex4 := filepath.Join("testdata", "pykeen", "complex-4")
	for want, o := range map[string]ImportOptions{
		"set structure to complex": {File: filepath.Join(complex4, "state.pt"), From: "pykeen"},
		"only ComplEx and DistMult": {
			File: filepath.Join(complex4, "state.pt"), From: "pykeen", Structure: "transe",
		},
		"with the labels": {File: complex4, From: "pykeen", Dataset: t.TempDir()},
		"no model": {
			File: filepath.Join(complex4, "state.pt"), From: "libkge",
		},
		"the checkpoint has no labels": {
			File: "testdata/libkge/distmult-4-old.pt", From: "libkge",
		},
		"unknown library": {File: complex4, From: "ampligraph"},
		"labels are those of": {
			File: "testdata/pykeen/complex-3/trained_model.pkl", From: "pykeen",
			Dataset: wrongLabels(t),
		},
		`object of the class "pykeen`: {File: complex4 + "/trained_model.pkl", From: "libkge"},
	} {
		_, err := Import(o)
		require.Error(t, err, want)
	}
}

// wrongLabels returns a folder with one label too few.
func wrongLabels(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"entity_to_id.tsv.gz", "relation_to_id.tsv.gz"} {
		content, err := os.ReadFile(filepath.Join("testdata/pykeen/complex-4/training_triples",
			"relation_to_id.tsv.gz"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o666)
		}
		require.NoError(t, err)
	}
	return dir
}
