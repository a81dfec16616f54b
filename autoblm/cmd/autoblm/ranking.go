package main

import (
	"bytes"
	"path/filepath"
	"strconv"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
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

// rankingFile returns the file for the ranking of a split or of a sample, in the folder of the
// model. It returns "" if the description of the model has no checksums, which identify its
// embeddings.
func (c *evalCommand) rankingFile(g *datasets.Graph, s *evalSummary) (string, error) {
	dir, err := modelIn(c.Model)
	if err != nil {
		return "", err
	}
	model, err := inputfile.Read(filepath.Join(dir, modelfolder.Description))
	if err != nil || !bytes.Contains(model, []byte(`"checksums"`)) {
		return "", err
	}
	name := checkpoint.Name(model, g.Fingerprint(), c.Split, strconv.Itoa(c.Sample),
		s.Engine, s.Backend)
	return filepath.Join(dir, rankingPrefix+name), nil
}

// rankingFile returns the file for the ranking after a training.
func (m *modelOutput) rankingFile() string {
	return filepath.Join(m.folder, rankingPrefix+m.key)
}
