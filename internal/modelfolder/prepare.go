package modelfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/internal/outfile"
)

// labelFiles are names that data sets use, too.
var labelFiles = []string{"entities.txt", "relations.txt", "classes.txt"}

// Prepare creates the folder of a future model if needed. It returns an error if [Write] cannot
// write there.
func Prepare(dir string) error {
	if err := outfile.MakeFolder(dir); err != nil {
		return err
	}
	return refuseData(dir)
}

// refuseData returns an error if a model in the folder would replace the labels of a data set.
func refuseData(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var labels string
	for _, e := range entries {
		switch {
		case e.Name() == Description || filepath.Ext(e.Name()) == tableEnding:
			return nil // a model, perhaps incomplete
		case slices.Contains(labelFiles, e.Name()):
			labels = e.Name()
		}
	}
	if labels != "" {
		return fmt.Errorf("%s has a file %s of other data, and it is not replaced:"+
			" name another folder for the model", dir, labels)
	}
	return nil
}
