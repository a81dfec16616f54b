package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
)

// Uninstall removes what was installed in a home, and the specs that lead there.
// Folders go only when they are empty and were made by the installation.
func Uninstall(home Home, report func(removed string)) error {
	m, err := ReadManifest(home)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing is installed in %s", home)
	}
	if err != nil {
		return err
	}
	for _, file := range m.Specs {
		spec, err := kernelspec.Read(file)
		if err != nil || spec.Argv[0] != home.Program("gonb") {
			continue // it is gone, or another's by now
		}
		if err := os.Remove(file); err != nil {
			return err
		}
		report(file)
	}
	if err := os.RemoveAll(home.unfinished()); err != nil { // of an installation that was killed
		return err
	}
	files := []string{filepath.Join(home.tools(), "go.mod"), filepath.Join(home.tools(), "go.sum")}
	for _, tool := range Tools {
		files = append(files, home.Program(tool.Name))
	}
	for _, name := range []string{"go.mod", "go.sum", "deps.go", "library.go"} {
		files = append(files, filepath.Join(home.Module(), name))
	}
	for _, file := range append(files, home.manifest()) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	report(string(home))
	inner := append(m.Folders, home.Module())
	slices.Sort(inner)
	for _, folder := range slices.Backward(inner) {
		os.Remove(folder) // which fails when it is not empty
	}
	return nil
}
