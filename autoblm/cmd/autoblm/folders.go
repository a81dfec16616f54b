package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

// outFolder is the folder for results without --out.
const outFolder = "autoblm-out"

// studyName is the name of the study in the folder of a search.
const studyName = "study.db"

// latestName is the name of a link in outFolder to the newest folder there with a result.
const latestName = "latest"

// newFolder makes a folder below outFolder whose name ends with the date and the time.
func newFolder(name string) (string, error) {
	name += time.Now().Format("-20060102-150405")
	return outfile.NewFolder(filepath.Join(outFolder, name))
}

// linkLatest makes the link "latest" to a folder, if that is in outFolder.
func linkLatest(o *output, folder string) {
	if filepath.Dir(filepath.Clean(folder)) != outFolder {
		return
	}
	link := filepath.Join(outFolder, latestName)
	if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink != 0 {
		_ = os.Remove(link)
	}
	err := os.Symlink(filepath.Base(folder), link)
	if err != nil && !errors.Is(err, fs.ErrExist) { // another process may have made it
		o.Message("autoblm: cannot make the link %s: %v", link, err)
	}
}

// modelIn returns the folder of a model: path itself, or the model in the folder of a search.
func modelIn(path string) (string, error) {
	dir := modelfolder.Find(path)
	if isFile(filepath.Join(dir, modelfolder.Description)) {
		return dir, nil
	}
	return "", fmt.Errorf("cannot open the model %s: %w", path, withoutModel(path))
}

// withoutModel says why a path has no model, and how to get one.
func withoutModel(path string) error {
	inner := filepath.Join(path, studyName)
	switch {
	case isFile(path):
		return errors.New("it is a file; name the folder of the model")
	case !isFolder(path):
		return errors.New("there is no such folder; name the --out of a training or of a search")
	case reproduce.Holds(path):
		return errors.New("the final training of the reproduction there has no model yet; the same command " +
			"resumes it")
	case isFile(inner):
		contents, err := study.Read(inner)
		command, effect := "resume", "resumes it"
		if err == nil && contents.Best != nil {
			command, effect = "best", "writes its best so far"
		}
		return fmt.Errorf("the search there has no model yet; %s %s",
			shellCommand([]string{"study", command, path}), effect)
	case isClosed(path):
		return fs.ErrPermission
	case hasData(path):
		return fmt.Errorf("it is a data set; train a model on it with autoblm %s --dataset %s",
			trainerFor(path), path)
	case len(checkpointsIn(path)) > 0:
		return errors.New("the training there was interrupted before it had a model; " +
			"its command resumes it")
	}
	return fmt.Errorf("the folder has no %s; name the --out of a training or of a search",
		modelfolder.Description)
}

// trainerFor returns the command that trains on a data set.
func trainerFor(path string) string {
	switch {
	case query.CanOpen(path):
		return "query train"
	case rdf.CanOpen(path):
		return "classify train"
	}
	return "train"
}

// studyIn returns the file of a study: path itself, or the study in the folder of a search.
func studyIn(path string) (string, error) {
	if !isFolder(path) {
		return path, nil
	}
	inner := filepath.Join(path, studyName)
	if _, err := os.Stat(inner); errors.Is(err, fs.ErrPermission) {
		return "", err
	} else if err != nil {
		if has := contentOf(path); has != "" {
			return "", fmt.Errorf("%s has %s, not a search: name the folder or the file of a study",
				path, has)
		}
		return "", fmt.Errorf("the folder %s has no %s: name the file of the study "+
			"(autoblm study list %[1]s)", path, studyName)
	}
	return inner, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// isClosed reports whether the permissions of a folder hide what files it has.
func isClosed(path string) bool {
	_, err := os.Stat(filepath.Join(path, modelfolder.Description))
	return errors.Is(err, fs.ErrPermission)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// predictorIn returns the folder of a model that is no classifier.
func predictorIn(path string) (string, error) {
	dir, err := modelIn(path)
	if err == nil && classify.IsModel(dir) {
		err = fmt.Errorf("cannot open the model %s: it classifies nodes; use %s",
			path, taskReaders[classify.TaskName])
	}
	return dir, err
}

func loadModel(path string) (*kge.Model, error) {
	dir, err := predictorIn(path)
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

// load reads the model or the ensemble in a folder.
func load(path string) (completion.Predictor, error) {
	dir, err := predictorIn(path)
	if err != nil {
		return nil, err
	}
	p, err := completion.LoadMapped(dir)
	if err == nil && len(p.Models()[0].Entities) >= tiles.LargeTable {
		debug.SetGCPercent(25) // a query on so many entities leaves much garbage
	}
	return p, err
}
