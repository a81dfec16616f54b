package exchange

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/torchfile"
)

// nested is a pickle of 40 pairs within each other, which share their items: printed they are a
// terabyte.
var nested = ")" + strings.Repeat("q\x00h\x00\x86", 40)

// writeTorch writes a file like torch.save.
func writeTorch(t *testing.T, pickle string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trained_model.pkl")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	archive := zip.NewWriter(file)
	w, err := archive.CreateHeader(&zip.FileHeader{Name: "archive/data.pkl", Method: zip.Store})
	if err == nil {
		_, err = w.Write([]byte(pickle))
	}
	if err == nil {
		err = archive.Close()
	}
	require.NoError(t, err)
	return path
}

func TestNestedLabels(t *testing.T) {
	file, err := torchfile.Open(writeTorch(t, "}X\x0a\x00\x00\x00entity_ids]"+nested+"as."))
	require.NoError(t, err)
	defer file.Close()
	_, err = libkgeLabels("", file.Value.(*torchfile.Dict), "entity_ids")
	require.Error(t, err, "neither text nor an integer")
}

func TestNestedNamesOfModules(t *testing.T) {
	for _, attribute := range []string{"X\x0b\x00\x00\x00_parameters", "X\x08\x00\x00\x00_modules"} {
		class := "cpykeen.models\nDistMult\n)\x81"
		path := writeTorch(t, class+"}"+attribute+"}"+nested+class+"ssb.")
		_, err := Import(ImportOptions{File: path, From: "pykeen"})
		require.Error(t, err, "the model has no entity_representations")
	}
}
