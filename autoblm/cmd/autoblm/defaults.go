package main

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/memory"
)

// The methods ResolveDefaults implement flags.Resolver: help shows the settings of a run with the
// same flags.

func (c *trainCommand) ResolveDefaults(line *kong.Context) (string, error) {
	size := knownSize(c.Dataset)
	err := c.resolve(line, size)
	source := "recipe " + c.recipeName
	if c.Recipe == "" && size == nil && c.Model == form.Bilinear && c.Encoding.Encoder == kge.NoEncoder {
		source += ", or another one that suits the graph"
	}
	return source, err
}

func (c *searchCommand) ResolveDefaults(line *kong.Context) (source string, err error) {
	var size task.Size
	if known := knownSize(c.Dataset); known != nil {
		size = task.Size{Entities: known.Entities, Examples: known.Train, Validation: known.Valid}
	}
	err = c.resolve(line, size)
	if name := cmp.Or(c.Recipe, c.recipeName); name != "" {
		source = "recipe " + name
	}
	return source, err
}

func (c *reproduceCommand) ResolveDefaults(line *kong.Context) (string, error) {
	r, err := c.resolve(line)
	return "final one, recipe " + r.Name, err
}

func (c *queryTrainCommand) ResolveDefaults(line *kong.Context) (string, error) {
	return "recipe " + c.Recipe, c.resolve(line)
}

func (c *classifyTrainCommand) ResolveDefaults(line *kong.Context) (string, error) {
	return "recipe " + c.Recipe, c.resolve(line)
}

// knownSize returns the size of a graph that is known by name, or that is read in no time; nil for
// another one.
func knownSize(dataset string) *recipe.Size {
	for _, d := range datasets.List() {
		if d.Name == dataset {
			return &recipe.Size{
				Entities: d.Entities, Relations: d.Relations, Train: d.Train, Valid: d.Valid,
				Memory: float64(memory.Free(os.DirFS("/"))),
			}
		}
	}
	if !isSmall(dataset) {
		return nil
	}
	g, err := datasets.Open(dataset)
	if err != nil {
		return nil
	}
	size := recipe.SizeOf(g)
	return &size
}

// isSmall reports whether a path is a folder with few bytes.
func isSmall(folder string) bool {
	const most = 16 << 20
	size := int64(0)
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if size += info.Size(); size > most {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil && isFolder(folder) && size <= most
}
