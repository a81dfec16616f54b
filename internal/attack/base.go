//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// base is a folder with what the commands take, of which each case gets a copy. Its folder
// stands for AUTOBLM_DATA too, so that a small graph can stand for a benchmark.
type base struct {
	folder string
	flags  map[string][]string // of each command
}

// newBase makes it: the test data of the commands, and what the program makes of them.
func newBase(ctx context.Context, p attacked, frozen, folder string) (*base, error) {
	b := &base{folder: folder}
	for _, name := range []string{"small", "kinds"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(frozen, "data", name))); err != nil {
			return nil, fmt.Errorf("cannot copy the test data: %w", err)
		}
	}
	if err := os.CopyFS(filepath.Join(folder, "umls"), os.DirFS(filepath.Join(folder, "small"))); err != nil {
		return nil, err
	}
	var all []byte
	for _, split := range []string{"train", "valid", "test"} {
		content, err := os.ReadFile(filepath.Join(folder, "small", split+".txt"))
		if err != nil {
			return nil, err
		}
		all = append(all, content...)
	}
	if err := os.WriteFile(filepath.Join(folder, "triples.txt"), all, 0o644); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(folder, "tmp"), 0o755); err != nil {
		return nil, err
	}
	for _, command := range []string{
		"query sample --dataset small --hops 2,3 --count 60 --out q",
		"train --dataset small --structure complex --dim 8 --epochs 3 --out m",
		"train --dataset small --structure complex --dim 8 --epochs 3 --reciprocal --out reverses",
		"train --dataset small --structure simple --dim 8 --epochs 3 --members 2 --keep-members --out seeds",
		"ensemble m seeds/seed-1 seeds/seed-2 --all --dataset small --out t",
		"query train --dataset q --structure complex --dim 8 --epochs 2 --out qm",
		"query train --dataset q --model transe --dim 8 --epochs 2 --out transe",
		"classify train --dataset kinds --structure complex --dim 8 --layers 1 --epochs 4 --runs 1 --out cm",
		"search --recipe basic --dataset small --budget 6 --dim 8 --epochs 2 --batch 64 --n 16 --p 4 --i 4 --study s.db --out s",
	} {
		e, err := p.run(ctx, trial{folder: folder, arguments: strings.Fields(command)})
		if err == nil && e.status != cli.Done {
			err = fmt.Errorf("autoblm %s: %s", command, e)
		}
		if err != nil {
			return nil, err
		}
	}
	var err error
	b.flags, err = readFlags(ctx, p, folder)
	return b, err
}

// copy makes a folder of one's own, with the times of the files, which a report tells.
func (b *base) copy(folder string) error {
	if err := os.CopyFS(folder, os.DirFS(b.folder)); err != nil {
		return err
	}
	return filepath.WalkDir(b.folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(b.folder, path)
		if err != nil {
			return err
		}
		return os.Chtimes(filepath.Join(folder, name), info.ModTime(), info.ModTime())
	})
}
