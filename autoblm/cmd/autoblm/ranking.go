package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// rankingPrefix begins the names of files with the ranks of interrupted rankings.
const rankingPrefix = "ranking-"

// resumableRanking returns an engine that ranks with a file, from which the ranking resumes.
func resumableRanking(
	o *output, engine kge.Engine, file string, every time.Duration,
) *completion.ResumableRanking {
	if isFile(file) {
		o.Message("autoblm: resuming the ranking in %s", file)
	}
	return completion.NewResumableRanking(engine, file, every, func(err error) {
		o.Message("autoblm: %v; the ranking continues", err)
	})
}

// rankingFile returns the file for a ranking with the model in a folder. Its name begins with a
// prefix and depends on the description of the model and on more. rankingFile returns "" if the
// description has no checksums, which identify the embeddings.
func rankingFile(dir, prefix string, more ...string) (string, error) {
	model, err := inputfile.Read(filepath.Join(dir, modelfolder.Description))
	if err != nil || !bytes.Contains(model, []byte(`"checksums"`)) {
		return "", err
	}
	return filepath.Join(dir, prefix+checkpoint.Name(model, more...)), nil
}

// rankingFile returns the file for the ranking of a split or of a sample; "" if there can be none.
func (c *evalCommand) rankingFile(g *datasets.Graph, s *evalSummary) (string, error) {
	dir, err := modelIn(c.Model)
	if err != nil {
		return "", err
	}
	return rankingFile(dir, rankingPrefix, g.Fingerprint(), c.Split, strconv.Itoa(c.Sample),
		s.Engine, s.Backend)
}

// rankingPrefix begins the names of files for rankings after the training.
func (m *modelOutput) rankingPrefix() string { return rankingPrefix + m.key + "-" }

// rankingFile returns the file for the ranking after the training, whose first model is saved; ""
// if there can be none. The models of the same training may differ, such as by their precision.
func (m *modelOutput) rankingFile() (string, error) {
	return rankingFile(m.folder, m.rankingPrefix())
}

// removeRankings removes the files for rankings after the training.
func (m *modelOutput) removeRankings() error {
	entries, err := os.ReadDir(m.folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), m.rankingPrefix()) {
			err = errors.Join(err, atomicfile.Remove(filepath.Join(m.folder, e.Name())))
		}
	}
	return err
}

// rankingError returns the error of a ranking. If it was interrupted, the error says so, and that
// the command resumes if it left one of its files.
func rankingError(err error, files ...string) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case slices.ContainsFunc(files, isFile):
		return errors.New("interrupted while ranking; the same command resumes it")
	}
	return errors.New("interrupted while ranking")
}
