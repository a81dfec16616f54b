package datasets

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/torchfile"
)

// ogbSplit returns the folder with OGB's train.pt below dir, "" if there is none. It is split/random
// or split/time, by the way in which OGB divided the graph.
func ogbSplit(dir string) string {
	for _, name := range []string{"random", "time"} {
		folder := filepath.Join(dir, "split", name)
		if info, err := os.Stat(filepath.Join(folder, "train.pt")); err == nil && !info.IsDir() {
			return folder
		}
	}
	return ""
}

// ogbReader reads a folder of OGB. In ogbl-biokg each entity has a type, and ids count within types.
// ogbl-wikikg2 has no types, which is read as one type without a name.
type ogbReader struct {
	dir, split string
	types      labelIDs
	counts     []int // of the entities of each type
	relations  int
	triples    int // of all splits
}

// readOGB reads a folder with the layout of ogbl-biokg or ogbl-wikikg2. Entities keep the order of
// their ids, type by type, so also those without triples are there.
func readOGB(dir string) (*Graph, error) {
	r := &ogbReader{dir: dir, split: ogbSplit(dir)}
	if err := r.readCounts(); err != nil {
		return nil, err
	}
	var g Graph
	var ends [3]*ogbEnds
	next := 0
	err := readSplits(&g, func(split string) (triples []Triple, err error) {
		triples, ends[next], err = r.readSplit(split)
		next++
		return triples, err
	})
	if err != nil {
		return nil, err
	}
	switch {
	case len(g.Train) == 0:
		return nil, fmt.Errorf("%s: the training file has no triples", r.split)
	case len(r.types.labels) > 1 && slices.Contains(r.types.labels, ""):
		return nil, fmt.Errorf("%s: only some splits have the types of entities", r.split)
	}
	entities, err := r.entityLabels()
	if err != nil {
		return nil, err
	}
	folder := ogbFolder{Types: r.types.labels, Bases: []int32{0}}
	for _, labels := range entities {
		g.Entities = append(g.Entities, labels...)
		folder.Bases = append(folder.Bases, int32(len(g.Entities)))
	}
	for i, triples := range g.splits() {
		ends[i].addBases(triples, folder.Bases)
	}
	if g.Relations, err = r.relationLabels(); err != nil {
		return nil, err
	}
	g.setOGB(dir, folder)
	return &g, nil
}

// ogbFolder describes the entities of a folder of OGB, and where its negatives are.
type ogbFolder struct {
	Types []string // one without a name if there are none
	Bases []int32  // the first entity of each type, and the end of the last

	split   string // folder
	triples map[string][]Triple
}

// setOGB sets the types and the negatives of a graph with the labels and triples of a folder.
func (g *Graph) setOGB(dir string, f ogbFolder) {
	f.split = ogbSplit(dir)
	f.triples = map[string][]Triple{"train": g.Train, "valid": g.Valid, "test": g.Test}
	g.ogb = &f
	if f.Types[0] == "" {
		return
	}
	var declared []EntityType
	for of := range f.Types {
		for id := f.Bases[of]; id < f.Bases[of+1]; id++ {
			declared = append(declared, EntityType{id, int32(of)})
		}
	}
	g.Types = NewTypes(len(g.Entities), f.Types, declared)
}

// fits reports whether the types have all entities of a graph.
func (f *ogbFolder) fits(g *Graph) bool {
	return f == nil || len(f.Types) > 0 && len(f.Bases) == len(f.Types)+1 && f.Bases[0] == 0 &&
		slices.IsSorted(f.Bases) && int(f.Bases[len(f.Types)]) == len(g.Entities)
}

// ogbEnds has the types of the heads and tails of triples; nil if there are none.
type ogbEnds struct{ heads, tails []int32 }

// addBases turns ids within types into ids of the graph.
func (e *ogbEnds) addBases(triples []Triple, bases []int32) {
	if e == nil || e.heads == nil {
		return
	}
	for i := range triples {
		triples[i].Head += bases[e.heads[i]]
		triples[i].Tail += bases[e.tails[i]]
	}
}

// readCounts reads the number of entities, or of those of each type, if raw has it. The order of
// types there is that of OGB.
func (r *ogbReader) readCounts() error {
	line := 0
	var names []string
	err := VisitFile(r.dir, "raw/num-node-dict.csv", func(text []byte) error {
		line++
		cells := strings.Split(string(text), ",")
		if line == 1 {
			names = cells
			return nil
		}
		if line > 2 || len(cells) != len(names) {
			return errors.New("expected a line of types and a line of their numbers of entities")
		}
		for i, cell := range cells {
			count, err := strconv.ParseUint(cell, 10, 31)
			if err != nil {
				return fmt.Errorf("%q is not a number of entities", clip([]byte(cell)))
			}
			r.atLeast(r.typeID(names[i]), int(count))
		}
		return nil
	})
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = VisitFile(r.dir, "raw/num-node-list.csv", func(text []byte) error {
		count, err := strconv.ParseUint(string(text), 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a number of entities", clip(text))
		}
		r.atLeast(r.typeID(""), int(count))
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (r *ogbReader) typeID(name string) int32 {
	id := r.types.id(name)
	if int(id) == len(r.counts) {
		r.counts = append(r.counts, 0)
	}
	return id
}

// atLeast raises the number of entities of a type.
func (r *ogbReader) atLeast(of int32, count int) { r.counts[of] = max(r.counts[of], count) }

// ogbFile is an open file of a split.
type ogbFile struct {
	*torchfile.File
	path string
}

func openOGB(path string) (*ogbFile, error) {
	file, err := torchfile.Open(path)
	if err != nil {
		return nil, err
	}
	return &ogbFile{file, path}, nil
}

// get returns the value of a key, nil if there is none.
func (f *ogbFile) get(key string) any {
	dict, _ := f.Value.(*torchfile.Dict)
	return dict.Get(key)
}

// tensor returns the array of a key with a number of axes.
func (f *ogbFile) tensor(key string, axes int) (*torchfile.Tensor, error) {
	t, isTensor := f.get(key).(*torchfile.Tensor)
	if !isTensor || len(t.Shape) != axes {
		return nil, fmt.Errorf("%s: no array %q with %d axes: the layouts of ogbl-biokg and "+
			"ogbl-wikikg2 have one", f.path, key, axes)
	}
	return t, nil
}

// readSplit reads the triples of a split, with ids within types.
func (r *ogbReader) readSplit(split string) ([]Triple, *ogbEnds, error) {
	file, err := openOGB(filepath.Join(r.split, split+".pt"))
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	ends := &ogbEnds{}
	if ends.heads, err = r.entityTypes(file, "head_type"); err != nil {
		return nil, nil, err
	}
	if ends.tails, err = r.entityTypes(file, "tail_type"); err != nil {
		return nil, nil, err
	}
	var triples []Triple
	for _, column := range []struct {
		key   string
		types []int32
		set   func(t *Triple, id int32)
	}{
		{"head", ends.heads, func(t *Triple, id int32) { t.Head = id }},
		{"relation", nil, func(t *Triple, id int32) { t.Relation = id }},
		{"tail", ends.tails, func(t *Triple, id int32) { t.Tail = id }},
	} {
		array, err := file.tensor(column.key, 1)
		if err != nil {
			return nil, nil, err
		}
		ids, err := array.Int64()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", file.path, column.key, err)
		}
		if triples == nil {
			triples = make([]Triple, len(ids))
		}
		if len(ids) != len(triples) || ends.heads != nil && len(ends.heads) != len(ids) ||
			(ends.heads == nil) != (ends.tails == nil) || len(ends.heads) != len(ends.tails) {
			return nil, nil, fmt.Errorf("%s: head, relation, tail and their types have different lengths",
				file.path)
		}
		for i, id := range ids {
			if id < 0 || id >= math.MaxInt32 {
				return nil, nil, fmt.Errorf("%s: the %s %d of triple %d is out of range", file.path,
					column.key, id, i)
			}
			column.set(&triples[i], int32(id))
			switch {
			case column.key == "relation":
				r.relations = max(r.relations, int(id)+1)
			case column.types != nil:
				r.atLeast(column.types[i], int(id)+1)
			default:
				r.atLeast(r.typeID(""), int(id)+1)
			}
		}
	}
	r.triples += len(triples)
	return triples, ends, nil
}

// limit returns the largest number of entities or relations, so that a damaged id does not use all
// memory.
func (r *ogbReader) limit() int {
	const few, perTriple = 1 << 20, 16
	return few + perTriple*r.triples
}

// entityTypes returns the types of entities, from a list or an array of names; nil without them.
func (r *ogbReader) entityTypes(file *ogbFile, key string) (types []int32, err error) {
	var names []string
	switch v := file.get(key).(type) {
	case nil:
		return nil, nil
	case *torchfile.List:
		for _, item := range v.Items {
			name, isText := item.(string)
			if !isText {
				return nil, fmt.Errorf("%s: %s has an item that is no text", file.path, key)
			}
			names = append(names, name)
		}
	case *torchfile.Tensor:
		if names, err = v.Strings(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file.path, key, err)
		}
	default:
		return nil, fmt.Errorf("%s: %s is no list of texts", file.path, key)
	}
	types = make([]int32, len(names))
	for i, name := range names {
		if types[i] = r.typeID(name); name == "" {
			return nil, fmt.Errorf("%s: %s %d is empty", file.path, key, i)
		}
	}
	return types, nil
}

// entityLabels returns the labels of the entities of each type: type/name or type/id, without types
// the name or the id.
func (r *ogbReader) entityLabels() ([][]string, error) {
	all := make([][]string, len(r.types.labels))
	total := 0
	for _, count := range append(r.counts, r.relations) {
		if total += count; count > r.limit() || total > math.MaxInt32 {
			return nil, fmt.Errorf("%s: ids up to %d are too many for %d triples", r.split, count,
				r.triples)
		}
	}
	for of, name := range r.types.labels {
		file, prefix := "mapping/nodeidx2entityid.csv", ""
		if name != "" {
			file, prefix = "mapping/"+name+"_entidx2name.csv", name+"/"
		}
		labels, err := r.mapping(file, prefix, r.counts[of])
		if err != nil {
			return nil, err
		}
		all[of] = labels
	}
	return all, nil
}

// relationLabels returns the names of the relations, or their ids.
func (r *ogbReader) relationLabels() ([]string, error) {
	file := "mapping/relidx2relname.csv"
	if r.types.labels[0] == "" {
		file = "mapping/reltype2relid.csv"
	}
	return r.mapping(file, "", r.relations)
}

// mapping returns at least count labels by id, from a file with a title, and an id and a name on each
// line. An id without a name is its own name. A name that is already used gets its id.
func (r *ogbReader) mapping(file, prefix string, count int) ([]string, error) {
	if strings.ContainsAny(file[len("mapping/"):], `/\`) {
		return nil, fmt.Errorf("%s: a type has a slash in its name", r.dir)
	}
	names := make([]string, count)
	isTitle := true
	err := VisitFile(r.dir, file, func(line []byte) error {
		if isTitle {
			isTitle = false
			return nil
		}
		number, name, found := strings.Cut(string(line), ",")
		if strings.Contains(name, `"`) {
			cells, err := csv.NewReader(strings.NewReader(name)).Read()
			if err != nil {
				return err
			}
			name, found = cells[0], len(cells) == 1
		}
		id, err := strconv.ParseUint(number, 10, 31)
		if !found || err != nil || id >= uint64(r.limit()) {
			return fmt.Errorf("expected an id and a name, not %q", clip(line))
		}
		if missing := int(id) + 1 - len(names); missing > 0 {
			names = append(names, make([]string, missing)...)
		}
		names[id] = strings.TrimSpace(name)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	owners := make(map[string]int, len(names))
	for id, name := range slices.Backward(names) {
		owners[name] = id // the first
	}
	for id, name := range names {
		if name == "" {
			name = strconv.Itoa(id)
		}
		for owner, isUsed := owners[name]; isUsed && owner != id; owner, isUsed = owners[name] {
			name = fmt.Sprintf("%s (id %d)", name, id)
		}
		owners[name] = id
		names[id] = prefix + name
	}
	return slices.Clip(names), nil
}
