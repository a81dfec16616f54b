package query

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/labels"
)

// Files of a folder of queries, in addition to the queries.
const (
	entitiesFile  = "entities.txt"
	relationsFile = "relations.txt"
)

// reverseSuffix ends the name of a relation's reverse.
const reverseSuffix = "_reverse"

// checkReverses returns an error if a relation has the name of another one's reverse, because a
// path could not name both.
func checkReverses(name string, relations []string) error {
	all := make(map[string]bool, len(relations))
	for _, r := range relations {
		all[r] = true
	}
	for _, r := range relations {
		if all[r+reverseSuffix] {
			return fmt.Errorf("paths of %s: the relation %[2]q has the name of the reverse of %[3]q: "+
				"rename it, or remove it if it has the reverse facts", name, r+reverseSuffix, r)
		}
	}
	return nil
}

// queryFile returns the name of a file of queries, without .gz.
func queryFile(split Split, hops int) string { return fmt.Sprintf("%v-%dp.txt", split, hops) }

// Open opens queries by a path or a name. It looks for:
//
//  1. a folder of chain queries or of a graph at this path; see [ReadFolder] and
//     [datasets.ReadFolder];
//  2. chain queries of this name in $AUTOBLM_DATA and in the cache;
//  3. a graph that [datasets.Open] finds. It has no queries.
//
// It reads only the queries with the given numbers of hops; all if none are given. If a name is
// ambiguous, [Data.Warnings] says which data were opened.
func Open(name string, hops ...int) (d *Data, err error) {
	place := locate(name)
	if hasQueries(place.Folder) {
		d, err = ReadFolder(place.Folder, hops...)
	} else if g, failed := datasets.Open(name); failed == nil {
		d, err = FromGraph(g), checkReverses(g.Name, g.Relations)
	} else if isIncomplete(name) {
		err = fileError(name, queryFile(InTrain, 1), fs.ErrNotExist)
	} else if near := enum.Near(Names(), name); len(near) > 0 && errors.Is(failed, fs.ErrNotExist) {
		err = fmt.Errorf("%w; there are queries in %s", failed, strings.Join(near, ", "))
	} else {
		err = failed
	}
	if err == nil && place.Note != "" && !slices.Contains(d.notes, place.Note) {
		d.notes = append([]string{place.Note}, d.notes...)
	}
	return d, err
}

// Names returns the names of the folders of queries in $AUTOBLM_DATA and in the cache.
func Names() (names []string) {
	for _, folder := range datasets.Folders("name") {
		parent := filepath.Dir(folder)
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			if hasQueries(filepath.Join(parent, e.Name())) {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isIncomplete reports whether a folder has the labels and some of the files of queries.
func isIncomplete(dir string) bool {
	if !datasets.HasFile(dir, entitiesFile) || !datasets.HasFile(dir, relationsFile) {
		return false
	}
	for split := range Split(splits) {
		for hops := 1; hops <= maxHops; hops++ {
			if datasets.HasFile(dir, queryFile(split, hops)) {
				return true
			}
		}
	}
	return false
}

// CanOpen reports whether a source is a name or a folder of chain queries.
func CanOpen(source string) bool { return hasQueries(locate(source).Folder) }

// locate finds the folder of queries or, without one, of a graph.
func locate(name string) datasets.Place {
	folders := []string{}
	for _, dir := range datasets.Folders(name) {
		if hasQueries(dir) {
			folders = append(folders, dir)
		}
	}
	if dir, found := datasets.Locate(name); found {
		folders = append(folders, dir)
	}
	return datasets.Choose(name, folders, func(dir string) bool {
		return hasQueries(dir) || datasets.HasGraph(dir)
	})
}

func hasQueries(dir string) bool {
	return dir != "" && datasets.HasFile(dir, queryFile(InTrain, 1))
}

// ReadFolder reads chain queries in the format of Query2box (Ren et al., 2020) as text. Each file
// is plain or compressed with a suffix .gz:
//
//   - entities.txt and relations.txt: id<TAB>name, by id. Relation 2k+1 is the reverse of
//     relation 2k and has its name with the suffix _reverse.
//   - entity2type.txt, which may be missing: types of entities, as entity<TAB>type with names.
//   - train-1p.txt, also the training graph: anchor<TAB>relation<TAB>answers.
//   - train-2p.txt and so on: anchor<TAB>r1,r2<TAB>answers. Without answers, these are all end
//     points in the training graph.
//   - valid-1p.txt, test-2p.txt and so on: anchor<TAB>r1,r2<TAB>hard answers<TAB>other answers. The
//     hard answers are ranked. The others are not candidates and may be missing. The answers in
//     valid-1p and test-1p add edges to the graph.
//
// Ids are separated by commas. An error names the file, the line and the fix.
func ReadFolder(dir string, hops ...int) (*Data, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	d := &Data{Name: filepath.Base(absolute), Folder: absolute}
	if d.Entities, err = readNames(dir, entitiesFile); err != nil {
		return nil, err
	}
	if d.types, err = datasets.ReadTypes(dir, d.Entities); err != nil {
		return nil, err
	}
	if d.Relations, err = readRelations(dir); err != nil {
		return nil, err
	}
	if err := d.readGraphs(dir); err != nil {
		return nil, err
	}
	if err := d.readQueries(dir, hops); err != nil {
		return nil, err
	}
	return d, nil
}

// readNames reads lines of id<TAB>name with the ids 0, 1, 2 and so on.
func readNames(dir, file string) (names []string, err error) {
	err = datasets.VisitFile(dir, file, func(line []byte) error {
		id, name, found := strings.Cut(string(line), "\t")
		if !found || id != strconv.Itoa(len(names)) {
			return fmt.Errorf("%.40q: expected %d<TAB>name, since ids run from 0 up", line, len(names))
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, fileError(dir, file, err)
	}
	if at, err := labels.Check(names); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", filepath.Join(dir, file), at+1, err)
	}
	return names, nil
}

// fileError explains that a file is missing, if err is that error.
func fileError(dir, file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %s is missing: a folder of queries has %s, %s and %s", dir, file,
			entitiesFile, relationsFile, queryFile(InTrain, 1))
	}
	return err
}

// readRelations reads the names of relations and checks the names of their reverses.
func readRelations(dir string) (forward []string, err error) {
	both, err := readNames(dir, relationsFile)
	if err != nil {
		return nil, err
	}
	if len(both)%2 != 0 {
		return nil, fmt.Errorf("%s: %d relations: an even number is needed, "+
			"as relation 2k+1 is the reverse of relation 2k",
			filepath.Join(dir, relationsFile), len(both))
	}
	for pair := range slices.Chunk(both, 2) {
		if pair[1] != pair[0]+reverseSuffix {
			id := 2 * len(forward)
			return nil, fmt.Errorf("%s: relation %d is %.40q: "+
				"as the reverse of relation %d it must be called %.40q",
				filepath.Join(dir, relationsFile), id+1, pair[1], id, pair[0]+reverseSuffix)
		}
		forward = append(forward, pair[0])
	}
	return forward, nil
}

// readGraphs reads the queries of one hop, whose answers are the edges of the graphs.
func (d *Data) readGraphs(dir string) error {
	var known []edge
	for split := range Split(splits) {
		queries, err := d.readFile(dir, split, 1)
		missing := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && (split == InTrain || !missing):
			return fileError(dir, queryFile(split, 1), err)
		case split == InTrain && len(queries) == 0:
			return fmt.Errorf("%s: the file is empty: it is the training graph",
				filepath.Join(dir, queryFile(split, 1)))
		}
		d.setQueries(split, 1, queries)
		for _, q := range queries {
			for _, to := range slices.Concat(q.Hard, q.Easy) {
				known = append(known, edge{q.Anchor, q.Relations[0], to},
					edge{to, reverse(q.Relations[0]), q.Anchor})
			}
		}
		d.graphs[split] = newEdges(len(d.Entities), known)
	}
	d.known, d.isFolder = d.graphs[InTest], true
	return nil
}

// readQueries reads the longer queries with the given numbers of hops, or all.
func (d *Data) readQueries(dir string, hops []int) error {
	for split := range Split(splits) {
		for length := 2; length <= maxHops; length++ {
			isWanted := len(hops) == 0 || slices.Contains(hops, length)
			if !isWanted || !datasets.HasFile(dir, queryFile(split, length)) {
				continue
			}
			queries, err := d.readFile(dir, split, length)
			if err != nil {
				return err
			}
			d.setQueries(split, length, queries)
		}
	}
	return nil
}

func (d *Data) readFile(dir string, split Split, hops int) ([]Query, error) {
	r := d.reader(split, hops)
	err := datasets.VisitFile(dir, queryFile(split, hops), r.line)
	return r.queries, err
}

// reader reads a file of queries line by line.
type reader struct {
	data    *Data
	split   Split
	hops    int
	walker  *walker
	queries []Query
}

func (d *Data) reader(split Split, hops int) *reader {
	return &reader{data: d, split: split, hops: hops, walker: newWalker(len(d.Entities))}
}

func (r *reader) line(line []byte) error {
	fields := bytes.Split(line, []byte("\t"))
	if len(fields) < 2 || len(fields) > 4 || len(fields) > 3 && r.split == InTrain {
		return fmt.Errorf("found %d tab-separated fields: expected %s", len(fields), r.lineFormat())
	}
	var q Query
	anchor, err := ids(fields[0], "entity", len(r.data.Entities))
	if err != nil {
		return err
	}
	if len(anchor) != 1 {
		return fmt.Errorf("found %d anchors: expected %s", len(anchor), r.lineFormat())
	}
	q.Anchor = anchor[0]
	if q.Relations, err = ids(fields[1], "relation", 2*len(r.data.Relations)); err != nil {
		return err
	}
	if len(q.Relations) != r.hops {
		return fmt.Errorf("a path of %d relations in a file of paths of %d: move it to %s",
			len(q.Relations), r.hops, queryFile(r.split, max(1, len(q.Relations))))
	}
	for i, to := range []*[]int32{&q.Hard, &q.Easy} {
		if len(fields) <= 2+i {
			continue
		}
		if *to, err = ids(fields[2+i], "entity", len(r.data.Entities)); err != nil {
			return err
		}
		slices.Sort(*to)
		*to = slices.Compact(*to)
	}
	if i := slices.IndexFunc(q.Hard, eval.In(q.Easy)); i >= 0 {
		return fmt.Errorf("entity %d is a hard answer and another answer: remove one of them", q.Hard[i])
	}
	if len(fields) == 2 && r.split == InTrain && r.hops > 1 {
		q.Hard = r.walker.endPoints(r.data.graphs[InTrain], q.Anchor, q.Relations)
		if len(q.Hard) == 0 {
			return fmt.Errorf("the path has no end point in the training graph: remove the line")
		}
	}
	if len(q.Hard) == 0 {
		return fmt.Errorf("a query without answers: expected %s", r.lineFormat())
	}
	r.queries = append(r.queries, q)
	return nil
}

// lineFormat describes the format of a line.
func (r *reader) lineFormat() string {
	path := make([]string, r.hops)
	for i := range path {
		path[i] = fmt.Sprintf("r%d", i+1)
	}
	format := "anchor<TAB>" + strings.Join(path, ",")
	if r.split == InTrain {
		return format + "<TAB>answers"
	}
	return format + "<TAB>hard answers<TAB>other answers"
}

// ids reads numbers below count, separated by commas; there may be none.
func ids(field []byte, what string, count int) ([]int32, error) {
	if len(field) == 0 {
		return nil, nil
	}
	all := make([]int32, 0, 1+bytes.Count(field, []byte(",")))
	for text := range bytes.SplitSeq(field, []byte(",")) {
		id, err := strconv.ParseInt(string(text), 10, 32)
		if err != nil {
			return nil, fmt.Errorf(
				"%.40q is not the id of a %s: expected numbers separated by commas", text, what)
		}
		if id < 0 || int(id) >= count {
			return nil, fmt.Errorf("unknown %s %d: the ids run from 0 to %d", what, id, count-1)
		}
		all = append(all, int32(id))
	}
	return all, nil
}
