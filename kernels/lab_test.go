package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/labtest"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
)

// TestJupyterLab runs notebooks as people do, and looks at what they see.
func TestJupyterLab(t *testing.T) {
	needKernel(t)
	folder := t.TempDir()
	for _, path := range []string{"../notebooks/01_quickstart.ipynb", "testdata/broken.ipynb"} {
		n, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		n.Strip() // so that what is there then is new
		if err := n.Write(filepath.Join(folder, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	lab := labtest.Start(t, folder)
	t.Run("the quickstart", func(t *testing.T) { checkQuickstart(t, lab.Open(t, "01_quickstart.ipynb")) })
	t.Run("cells that fail", func(t *testing.T) { checkFailures(t, lab.Open(t, "broken.ipynb")) })
}

func checkQuickstart(t *testing.T, page *labtest.Page) {
	if got := page.Kernel(); got != install.CPU.Title {
		t.Errorf("the page names the kernel %q, want %q", got, install.CPU.Title)
	}
	cells := page.RunAll(4 * time.Minute)
	page.Screenshots()
	var tables, pictures int
	var text strings.Builder
	for i, c := range cells {
		if failure := c.Failure(); failure != "" {
			t.Errorf("cell of code %d: %s", i+1, failure)
		}
		tables, pictures = tables+c.Tables, pictures+len(c.Pictures)
		text.WriteString(c.Text)
	}
	// A table more for each search that keeps an ensemble.
	if leastTables, wantPictures := 10, 4; tables < leastTables || pictures != wantPictures {
		t.Errorf("%d tables and %d pictures, want at least %d and %d", tables, pictures, leastTables, wantPictures)
	}
	for _, want := range []string{"the plan: ", " structures trained in", "Austria borders …", "… divides 48", "autoblm search --recipe basic --seed 1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no output says %q", want)
		}
	}
}

// checkFailures sees that the check above can fail.
func checkFailures(t *testing.T, page *labtest.Page) {
	cells := page.RunAll(time.Minute)
	page.Screenshots()
	if len(cells) != 3 {
		t.Fatalf("%d cells, want 3: %+v", len(cells), cells)
	}
	for i, want := range []string{"", "picture 1 of 1 is broken", "index out of range"} {
		if got := cells[i].Failure(); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("cell %d: %q, want %q", i+1, got, want)
		}
	}
}
