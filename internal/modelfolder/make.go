package modelfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/internal/outfile"
)

// labelFiles may be those of data, too.
var labelFiles = []string{"entities.txt", "relations.txt", "classes.txt"}

// Prepare makes the folder of a model that is to be, if it is not there, and says whether
// [Write] may write there: not over the labels of data.
func Prepare(dir string) error {
	if err := outfile.MakeFolder(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var labels string
	for _, e := range entries {
		switch {
		case e.Name() == Description || filepath.Ext(e.Name()) == ".npy":
			return nil // a model's, if only what is left of one
		case slices.Contains(labelFiles, e.Name()):
			labels = e.Name()
		}
	}
	if labels != "" {
		return fmt.Errorf("%s has a file %s that is not of a model, and not replaced: name another folder for the model", dir, labels)
	}
	return nil
}
