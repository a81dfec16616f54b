package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// What the folder of a search has.
const (
	modelName = "model"
	studyName = "study.db"
)

// modelIn is the folder of a model: the given one, or the one in the folder of a search. The
// description of a model stands for its folder, so that each can be named.
func modelIn(path string) (string, error) {
	if filepath.Base(path) == modelfolder.Description && isFile(path) {
		return filepath.Dir(path), nil
	}
	inner := filepath.Join(path, modelName)
	has := func(folder string) bool { return isFile(filepath.Join(folder, modelfolder.Description)) }
	switch {
	case has(path) && has(inner):
		return "", fmt.Errorf("%s is a model, and has another one as the folder of a search: name %s or %s", path, filepath.Join(path, modelfolder.Description), inner)
	case has(path):
		return path, nil
	case isFolder(inner):
		return inner, nil
	case isFile(filepath.Join(path, studyName)):
		return "", fmt.Errorf("%s is the folder of a search without its model: autoblm study best %[1]s writes the one that the study has so far", path)
	}
	return path, nil // whose reader says what is wrong
}

// studyIn is the file of a study: the given one, or the one in the folder of a search.
func studyIn(path string) (string, error) {
	if !isFolder(path) {
		return path, nil
	}
	inner := filepath.Join(path, studyName)
	if _, err := os.Stat(inner); err != nil {
		return "", fmt.Errorf("the folder %s has no %s: name the file of the study (autoblm study list %[1]s)", path, studyName)
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

func loadClasses(path string) (*classify.Model, error) {
	dir, err := modelIn(path)
	if err != nil {
		return nil, err
	}
	return classify.Load(dir)
}

// read reads a study and leaves its file in the place of a folder.
func (f *studyFile) read() (contents *study.Contents, err error) {
	if f.File, err = studyIn(f.File); err != nil {
		return nil, err
	}
	return study.Read(f.File)
}
