package kge_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestChangedModels: a file that is not the one that was saved is noticed, in a folder and in
// a study, and taken where nothing says what it should be.
func TestChangedModels(t *testing.T) {
	files, err := enginetest.SmallModel().Files()
	require.NoError(t, err)
	dir := t.TempDir()
	save := func(description []byte, changed string) {
		for name, content := range files {
			content = bytes.Clone(content)
			if name == changed {
				content[len(content)-2] ^= 1 // a digit of a number, or a letter of a label
			}
			if name == "model.json" {
				content = description
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		}
	}
	description := files["model.json"]
	without := regexp.MustCompile(`,\s*"checksums": \{[^}]*\}`).ReplaceAll(description, nil)
	for name := range files {
		if name == "model.json" {
			continue
		}
		save(description, name)
		_, err := kge.Load(dir)
		require.Error(t, err, filepath.Join(dir, name)+" is damaged, or of another model",
			"remove its checksum")
		copied := map[string][]byte{}
		for name := range files {
			if copied[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = kge.LoadFrom("", modelfolder.FromFiles(copied))
		require.Error(t, err, name+" is damaged, or of another model")
		save(bytes.ReplaceAll(description, []byte(name+`": "`), []byte(name+`": "0`)), "")
		_, err = kge.Load(dir)
		require.Error(t, err, name+" is damaged, or of another model")
		save(without, name)
		if _, err := kge.Load(dir); err != nil {
			t.Errorf("%s, without checksums: %v", name, err)
		}
	}
	upper := regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllFunc(description, bytes.ToUpper)
	save(upper, "")
	if _, err := kge.Load(dir); err != nil {
		t.Errorf("with other digits for the same numbers: %v", err)
	}
	save(bytes.Replace(description, []byte(`"checksums": {`), []byte(`"checksums": {"x": 1,`), 1), "")
	_, err = kge.Load(dir)
	require.Error(t, err, "model.json", "checksums")
}
