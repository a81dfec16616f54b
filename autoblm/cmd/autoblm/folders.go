package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// outFolder is the folder for results without --out.
const outFolder = "autoblm-out"

// Names in the folder of a search.
const (
	modelName = "model"
	studyName = "study.db"
)

// modelIn returns the folder of a model: path itself, the folder of path if that is the
// description of a model, or the model in the folder of a search.
func modelIn(path string) (string, error) {
	if filepath.Base(path) == modelfolder.Description && isFile(path) {
		return filepath.Dir(path), nil
	}
	inner := filepath.Join(path, modelName)
	has := func(folder string) bool { return isFile(filepath.Join(folder, modelfolder.Description)) }
	switch {
	case has(path) && has(inner):
		return "", fmt.Errorf("%s is ambiguous: it is a model and contains another one; name %s or %s",
			path, filepath.Join(path, modelfolder.Description), inner)
	case has(path):
		return path, nil
	case isFolder(inner):
		return inner, nil
	case isFile(filepath.Join(path, studyName)):
		return "", fmt.Errorf("%s contains a search without a model: autoblm study best %[1]s writes "+
			"the best one so far", path)
	}
	return path, nil // reading it reports the error
}

// studyIn returns the file of a study: path itself, or the study in the folder of a search.
func studyIn(path string) (string, error) {
	if !isFolder(path) {
		return path, nil
	}
	inner := filepath.Join(path, studyName)
	if _, err := os.Stat(inner); err != nil {
		return "", fmt.Errorf("the folder %s has no %s: name the file of the study "+
			"(autoblm study list %[1]s)", path, studyName)
	}
	return inner, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func loadModel(path string) (*kge.Model, error) {
	dir, err := modelIn(path)
	if err != nil {
		return nil, err
	}
	return kge.Load(dir)
}

func loadClassifier(path string) (*classify.Model, error) {
	dir, err := modelIn(path)
	if err != nil {
		return nil, err
	}
	return classify.Load(dir)
}
