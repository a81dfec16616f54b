//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// base is a folder with inputs for the commands. Each case gets a copy of it, and AUTOBLM_DATA
// names that copy, so that a small graph can replace a benchmark.
type base struct{ folder string }

// newBase copies the test data of the commands and adds models, queries and a study.
func newBase(ctx context.Context, p program, data, folder string) (*base, error) {
	// The small graph is also called umls, so that recipes for that benchmark apply to it.
	for name, source := range map[string]string{"small": "small", "umls": "small", "kinds": "kinds"} {
		files := os.DirFS(filepath.Join(data, source))
		if err := os.CopyFS(filepath.Join(folder, name), files); err != nil {
			return nil, fmt.Errorf("cannot copy the test data: %w", err)
		}
	}
	var triples []byte
	for _, split := range []string{"train", "valid", "test"} {
		content, err := os.ReadFile(filepath.Join(folder, "small", split+".txt"))
		if err != nil {
			return nil, err
		}
		triples = append(triples, content...)
	}
	if err := os.WriteFile(filepath.Join(folder, "triples.txt"), triples, 0o644); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(folder, "tmp"), 0o755); err != nil {
		return nil, err
	}
	const train = "train --dataset small --dim 8 --epochs 3 "
	for _, command := range []string{
		"query sample --dataset small --hops 2,3 --count 60 --out q",
		train + "--structure complex --out m",
		train + "--structure complex --reciprocal --out reverses",
		train + "--structure simple --members 2 --keep-members --out seeds",
		"ensemble m seeds/seed-1 seeds/seed-2 --all --dataset small --out t",
		"search --recipe basic --dataset small --budget 6 --dim 8 --epochs 2 --batch 64" +
			" --study s.db --out s",
	} {
		r, err := p.run(ctx, invocation{folder: folder, arguments: strings.Fields(command)})
		if err == nil && r.status != cli.Done {
			err = fmt.Errorf("autoblm %s: %s", command, r)
		}
		if err != nil {
			return nil, err
		}
	}
	return &base{folder}, nil
}

// copy copies the base with the times of its files, which a report contains.
func (b *base) copy(folder string) error {
	out, err := exec.Command("cp", "-a", b.folder+"/.", folder).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot copy the test data: %w: %s", err, out)
	}
	return nil
}
