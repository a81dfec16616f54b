package query

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/datasets"
)

// Files of a folder of queries, in addition to the queries.
const (
	entitiesFile  = "entities.txt"
	relationsFile = "relations.txt"
)

// reverseSuffix ends the name of a relation's reverse.
const reverseSuffix = "_reverse"

// queryFile returns the name of a file of queries, without .gz.
func queryFile(split Split, hops int) string { return fmt.Sprintf("%v-%dp.txt", split, hops) }

var queryFileName = regexp.MustCompile(`^(train|valid|test)-([1-9][0-9]?)p\.txt(\.gz)?$`)

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
		d = FromGraph(g)
	} else {
		err = failed
	}
	if err == nil && place.Note != "" && !slices.Contains(d.notes, place.Note) {
		d.notes = append([]string{place.Note}, d.notes...)
	}
	return d, err
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
//   - entities.txt and relations.txt: id<TAB>name. Relation 2k+1 is the reverse of relation 2k and
//     has its name with the suffix _reverse.
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
	if err := checkUnique(dir, entitiesFile, d.Entities); err != nil {
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

// readNames reads lines of id<TAB>name, in any order.
func readNames(dir, file string) ([]string, error) {
	byID := map[int]string{}
	err := datasets.VisitFile(dir, file, func(line []byte) error {
		field, name, found := bytes.Cut(line, []byte("\t"))
		id, err := strconv.Atoi(string(field))
		if !found || len(name) == 0 || err != nil {
			return fmt.Errorf("%.40q has no id or no name: expected id<TAB>name", line)
		}
		if _, found := byID[id]; found {
			return fmt.Errorf("id %d is repeated: ids must be unique", id)
		}
		byID[id] = string(name)
		return nil
	})
	if err != nil {
		return nil, fileError(dir, file, err)
	}
	names := make([]string, len(byID))
	for id := range names {
		name, found := byID[id]
		if !found {
			return nil, fmt.Errorf("%s: no line has the id %d: ids must run from 0 to %d",
				filepath.Join(dir, file), id, len(byID)-1)
		}
		names[id] = name
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: the file is empty: expected lines of id<TAB>name",
			filepath.Join(dir, file))
	}
	return names, nil
}

// checkUnique returns an error if a name is in a file twice.
func checkUnique(dir, file string, names []string) error {
	ids := map[string]int{}
	for id, name := range names {
		if before, found := ids[name]; found {
			return fmt.Errorf("%s: ids %d and %d have the same name %.40q: names must be unique",
				filepath.Join(dir, file), before, id, name)
		}
		ids[name] = id
	}
	return nil
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
	return forward, checkUnique(dir, relationsFile, forward)
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
	return nil
}

// readQueries reads the longer queries with the given numbers of hops, or all.
func (d *Data) readQueries(dir string, hops []int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		match := queryFileName.FindStringSubmatch(entry.Name())
		if match == nil {
			continue
		}
		split := Split(slices.Index(splitNames, match[1]))
		length, err := strconv.Atoi(match[2])
		if err != nil || length == 1 || len(hops) > 0 && !slices.Contains(hops, length) ||
			d.Queries(split, length) != nil {
			continue
		}
		queries, err := d.readFile(dir, split, length)
		if err != nil {
			return err
		}
		d.setQueries(split, length, queries)
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
	for _, e := range q.Hard {
		if _, found := slices.BinarySearch(q.Easy, e); found {
			return fmt.Errorf("entity %d is a hard answer and another answer: remove one of them", e)
		}
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
