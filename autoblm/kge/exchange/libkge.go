package exchange

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/torchfile"
)

// libkgeClasses are the classes in a checkpoint of LibKGE. They become objects that hold attributes.
var libkgeClasses = []string{"kge.", "builtins.getattr"}

// importLibKGE reads a checkpoint of LibKGE, such as checkpoint_best.pt. Its labels are in the
// checkpoint itself, if it was packaged, or else in the folder of the data.
func importLibKGE(o ImportOptions) (*kge.Model, error) {
	file, err := torchfile.Open(o.File, libkgeClasses...)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	checkpoint, _ := file.Value.(*torchfile.Dict)
	saved, _ := checkpoint.Get("model").(torchfile.Tuple)
	if len(saved) == 0 {
		return nil, fmt.Errorf("%s is no checkpoint of LibKGE: it has no model", o.File)
	}
	state, _ := saved[0].(*torchfile.Dict)
	var s source
	// Before 2020-05 the name had no underscore; a reciprocal model has a base model.
	for _, prefix := range []string{"_base_model.", ""} {
		for _, name := range []string{"._embeddings", ".embeddings"} {
			entities, failed := tensor(state, prefix+"_entity_embedder"+name+".weight")
			if failed != nil {
				continue
			}
			s.entities, s.isReciprocal = entities, prefix != ""
			s.relations, err = tensor(state, prefix+"_relation_embedder"+name+".weight")
		}
		if s.entities != nil {
			break
		}
	}
	if s.entities == nil || err != nil {
		return nil, fmt.Errorf("%s: the model has no lookup embeddings of entities and relations", o.File)
	}
	name := o.Structure
	if name == "" {
		if name = libkgeModel(checkpoint); name == "" {
			return nil, fmt.Errorf("%s does not say its model: set structure to complex or "+
				"distmult", o.File)
		}
	}
	data, _ := checkpoint.Get("dataset").(*torchfile.Dict)
	meta, _ := data.Get("meta").(*torchfile.Dict)
	if s.entityLabels, err = libkgeLabels(o.Dataset, meta, "entity_ids"); err != nil {
		return nil, err
	}
	if s.relationLabels, err = libkgeLabels(o.Dataset, meta, "relation_ids"); err != nil {
		return nil, err
	}
	return s.model(o.File, name)
}

// libkgeModel returns the name of the model in the options of a checkpoint, "" if it has none.
func libkgeModel(checkpoint *torchfile.Dict) string {
	config, _ := checkpoint.Get("config").(*torchfile.Object)
	if config == nil {
		return ""
	}
	options, _ := config.Attribute("options").(*torchfile.Dict)
	name, _ := options.Get("model").(string)
	if strings.HasSuffix(name, "reciprocal_relations_model") {
		of, _ := options.Get(name).(*torchfile.Dict)
		base, _ := of.Get("base_model").(*torchfile.Dict)
		name, _ = base.Get("type").(string)
	}
	return name
}

// libkgeLabels returns labels from a folder of data, or without one from a checkpoint.
func libkgeLabels(folder string, meta *torchfile.Dict, name string) ([]string, error) {
	if folder == "" {
		list, _ := meta.Get(name).(*torchfile.List)
		if list == nil {
			return nil, errors.New("the checkpoint has no labels: set dataset to the folder of its " +
				"data, which has entity_ids.del, or package it with: kge package CHECKPOINT")
		}
		all := make([]string, len(list.Items))
		for i, item := range list.Items {
			switch item.(type) {
			case string, int64:
				all[i] = fmt.Sprint(item)
			default: // nested tuples could be printed far larger than the file
				return nil, fmt.Errorf("the checkpoint has a label in %s that is neither text nor an "+
					"integer: set dataset to the folder of its data", name)
			}
		}
		return all, nil
	}
	path := filepath.Join(folder, name+".del")
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s with the labels: set dataset to the folder of LibKGE's "+
			"data", path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	ids := idList{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for err == nil && lines.Scan() {
		err = ids.add(strings.SplitN(lines.Text(), "\t", 2))
	}
	all, failed := ids.labels()
	if err = cmp.Or(err, lines.Err(), failed); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}
