//go:build linux

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	classifycpu "github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/npy"
)

// target is a reader.
type target struct {
	name    string
	prepare func(base, folder string) (*prepared, error)
}

var targets = []*target{
	{"triples", prepareGraph("small")},
	{"openke", prepareOpenKE},
	{"one-file", prepareOneFile},
	{"archive", prepareArchive},
	{"rdf", prepareRDF},
	{"queries", prepareQueries},
	{"model", prepareModel("m", false, true)},
	{"model-plain", prepareModel("m", false, false)},
	{"model-form", prepareModel("transe", false, false)},
	{"model-paths", prepareModel("qm", false, false)},
	{"ensemble", prepareEnsemble},
	{"model-classes", prepareModel("cm", true, true)},
	{"model-classes-plain", prepareModel("cm", true, false)},
	{"checkpoint", prepareCheckpoint},
	{"checkpoint-classes", prepareClassCheckpoint},
	{"study", prepareStudy("s.db")},
	{"structure", prepareStructure},
	{"npy", prepareNpy},
	{"json", prepareJSON},
}

// prepare takes files of a folder; those with .gz are packed.
func newPrepared(folder string, files map[string][]byte, read func(folder, mutated string) error) *prepared {
	p := &prepared{folder: folder, files: map[string][]byte{}, packed: map[string]packing{}, named: true, read: read}
	for name, content := range files {
		if filepath.Ext(name) == ".gz" {
			content = unzipped(content)
			p.packed[name] = packing{content, gzipped}
			content = gzipped(content)
		}
		p.files[name] = content
	}
	p.names = slices.Sorted(maps.Keys(p.files))
	return p
}

func filesOf(folder string, names ...string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	return files, nil
}

func allFiles(folder string) (map[string][]byte, error) {
	entries, err := os.ReadDir(folder)
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	if err != nil {
		return nil, err
	}
	return filesOf(folder, names...)
}

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = w.Write(content)
	_ = w.Close()
	return b.Bytes()
}

// unzipped is the content of what is packed, and what is not as it is.
func unzipped(content []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return content
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return content
	}
	return plain
}

func prepareGraph(from string) func(base, folder string) (*prepared, error) {
	return func(base, folder string) (*prepared, error) {
		files, err := filesOf(filepath.Join(base, from), "train.txt", "valid.txt", "test.txt")
		if err != nil {
			return nil, err
		}
		files["valid.txt.gz"] = files["valid.txt"]
		delete(files, "valid.txt")
		files["test.tsv"] = files["test.txt"]
		delete(files, "test.txt")
		return newPrepared(folder, files, func(folder, _ string) error {
			g, err := datasets.ReadFolder(folder)
			if err != nil {
				return err
			}
			return checkGraph(g)
		}), nil
	}
}

// checkGraph says what of a graph that was read cannot be.
func checkGraph(g *datasets.Graph) error {
	for what, labels := range map[string][]string{"entity": g.Entities, "relation": g.Relations} {
		seen := map[string]bool{}
		for _, label := range labels {
			if label == "" || seen[label] {
				return inconsistent("the label %q of an %s is there twice, or empty", label, what)
			}
			seen[label] = true
		}
	}
	for _, t := range slices.Concat(g.Train, g.Valid, g.Test) {
		for _, e := range []int32{t.Head, t.Tail} {
			if e < 0 || int(e) >= len(g.Entities) {
				return inconsistent("entity %d of %d", e, len(g.Entities))
			}
		}
		if t.Relation < 0 || int(t.Relation) >= len(g.Relations) {
			return inconsistent("relation %d of %d", t.Relation, len(g.Relations))
		}
	}
	if len(g.Train) == 0 {
		return inconsistent("no triples")
	}
	datasets.Describe(g)
	return nil
}

func prepareOpenKE(base, folder string) (*prepared, error) {
	g, err := datasets.ReadFolder(filepath.Join(base, "small"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, labels := range map[string][]string{"entity2id.txt": g.Entities, "relation2id.txt": g.Relations} {
		text := fmt.Appendf(nil, "%d\n", len(labels))
		for id, label := range labels {
			text = fmt.Appendf(text, "%s\t%d\n", label, id)
		}
		files[name] = text
	}
	for name, triples := range map[string][]datasets.Triple{"train2id.txt": g.Train, "valid2id.txt": g.Valid, "test2id.txt.gz": g.Test} {
		text := fmt.Appendf(nil, "%d\n", len(triples))
		for _, t := range triples {
			text = fmt.Appendf(text, "%d %d %d\n", t.Head, t.Tail, t.Relation)
		}
		files[name] = text
	}
	return newPrepared(folder, files, func(folder, _ string) error {
		g, err := datasets.ReadFolder(folder)
		if err != nil {
			return err
		}
		return checkGraph(g)
	}), nil
}

func prepareOneFile(base, folder string) (*prepared, error) {
	files, err := filesOf(base, "triples.txt")
	if err != nil {
		return nil, err
	}
	files["packed.txt.gz"] = files["triples.txt"]
	return newPrepared(folder, files, func(folder, mutated string) error {
		if mutated == "" {
			mutated = "triples.txt"
		}
		g, err := datasets.ReadTriples(filepath.Join(folder, mutated))
		if err != nil {
			return err
		}
		if err := checkGraph(g); err != nil {
			return err
		}
		parts, report, err := datasets.SplitTriples(g, datasets.DefaultSplit())
		if err != nil {
			return nil // there may be too few
		}
		if n := len(parts.Train) + len(parts.Valid) + len(parts.Test) + report.Duplicates; n != len(g.Train) {
			return inconsistent("of %d triples a split has %d", len(g.Train), n)
		}
		return nil
	}), nil
}

// served gives the content of a file as an answer from the network.
type served struct{ path string }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	content, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: r,
		ContentLength: int64(len(content)), Body: io.NopCloser(bytes.NewReader(content)),
	}, nil
}

func prepareArchive(base, folder string) (*prepared, error) {
	files, err := filesOf(filepath.Join(base, "small"), "train.txt", "valid.txt", "test.txt")
	if err != nil {
		return nil, err
	}
	var packed, zipped bytes.Buffer
	tars, zips := tar.NewWriter(&packed), zip.NewWriter(&zipped)
	for name, content := range files {
		err := tars.WriteHeader(&tar.Header{Name: "data/" + name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = tars.Write(content)
		}
		var w io.Writer
		if err == nil {
			w, err = zips.Create("data/" + name)
		}
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := errors.Join(tars.Close(), zips.Close()); err != nil {
		return nil, err
	}
	p := newPrepared(folder, map[string][]byte{"a.tar.gz": packed.Bytes(), "a.zip": zipped.Bytes()}, func(folder, mutated string) error {
		if mutated == "" {
			return nil
		}
		dir, err := datasets.Fetch(context.Background(), "umls", datasets.FetchOptions{Client: &http.Client{Transport: served{filepath.Join(folder, mutated)}}})
		if err == nil {
			return inconsistent("an archive of other data was taken for umls, in %s", dir)
		}
		return err
	})
	p.named = false // it names the address
	return p, nil
}

func prepareRDF(base, folder string) (*prepared, error) {
	files, err := allFiles(filepath.Join(base, "kinds"))
	if err != nil {
		return nil, err
	}
	files["graph.nt.gz"] = files["graph.nt"]
	delete(files, "graph.nt")
	return newPrepared(folder, files, func(folder, _ string) error {
		strict, err := rdf.ReadFolder(folder, rdf.Options{})
		if err == nil {
			return checkNodes(strict)
		}
		if lenient, err := rdf.ReadFolder(folder, rdf.Options{Lenient: true}); err == nil {
			if err := checkNodes(lenient); err != nil {
				return err
			}
		}
		return err
	}), nil
}

func checkNodes(g *rdf.Graph) error {
	for _, t := range g.Triples {
		if t.Head < 0 || t.Tail < 0 || t.Relation < 0 || int(t.Head) >= len(g.Nodes) || int(t.Tail) >= len(g.Nodes) || int(t.Relation) >= len(g.Relations) {
			return inconsistent("an edge %v among %d nodes", t, len(g.Nodes))
		}
	}
	for _, l := range slices.Concat(g.Train, g.Test) {
		if l.Node < 0 || int(l.Node) >= len(g.Nodes) || l.Class < 0 || int(l.Class) >= len(g.Classes) {
			return inconsistent("a label %v among %d nodes and %d classes", l, len(g.Nodes), len(g.Classes))
		}
	}
	return nil
}

func prepareQueries(base, folder string) (*prepared, error) {
	files, err := allFiles(filepath.Join(base, "q"))
	if err != nil {
		return nil, err
	}
	files["test-2p.txt.gz"] = files["test-2p.txt"]
	delete(files, "test-2p.txt")
	return newPrepared(folder, files, func(folder, _ string) error {
		d, err := query.ReadFolder(folder)
		if err != nil {
			return err
		}
		for _, split := range []query.Split{query.InTrain, query.InValid, query.InTest} {
			for hops := 1; hops <= 3; hops++ {
				for _, q := range d.Queries(split, hops) {
					if len(q.Relations) != hops || len(q.Hard) == 0 || int(q.Anchor) >= len(d.Entities) {
						return inconsistent("a query %+v of %d hops among %d entities", q, hops, len(d.Entities))
					}
				}
			}
		}
		return nil
	}), nil
}

// prepareModel is for a folder as it was written, where only model.json can be changed
// unnoticed, or without the checksums there, as others may have it.
func prepareModel(from string, classes, summed bool) func(base, folder string) (*prepared, error) {
	return func(base, folder string) (*prepared, error) {
		files, err := allFiles(filepath.Join(base, from))
		if err != nil {
			return nil, err
		}
		description := map[string]any{}
		decoder := json.NewDecoder(bytes.NewReader(files["model.json"]))
		decoder.UseNumber()
		if err := decoder.Decode(&description); err != nil {
			return nil, err
		}
		if _, is := description["checksums"]; summed && !is {
			return nil, errors.New("the model has no checksums")
		}
		if !summed {
			delete(description, "checksums")
			if files["model.json"], err = json.MarshalIndent(description, "", "  "); err != nil {
				return nil, err
			}
		}
		p := newPrepared(folder, files, nil)
		p.read = func(folder, mutated string) error {
			if classes {
				m, err := classify.Load(folder)
				if err != nil {
					return err
				}
				for i, table := range m.Tables {
					if !finite(table) {
						return inconsistent("table %d has numbers that are none", i)
					}
				}
				if _, err := m.Files(); err != nil {
					return inconsistent("what was read cannot be written: %v", err)
				}
			} else {
				m, err := kge.Load(folder)
				if err != nil {
					return err
				}
				if !finite(m.Entities) || !finite(m.Relations) {
					return inconsistent("the tables have numbers that are none")
				}
				again, err := m.Files()
				if err != nil {
					return inconsistent("what was read cannot be written: %v", err)
				}
				back, err := kge.LoadFiles(again)
				if err != nil {
					return inconsistent("what was written cannot be read: %v", err)
				}
				if !reflect.DeepEqual(m.Parameters, back.Parameters) {
					return inconsistent("what was written and read has other parameters")
				}
			}
			if mutated == "" || mutated == "model.json" || !summed {
				return nil
			}
			if got, err := os.ReadFile(filepath.Join(folder, mutated)); err != nil || !bytes.Equal(got, files[mutated]) {
				return inconsistent("%s has another checksum than model.json says (%v)", mutated, err)
			}
			return nil
		}
		return p, nil
	}
}

// prepareEnsemble is for the files of an ensemble, those of its members too.
func prepareEnsemble(base, folder string) (*prepared, error) {
	whole, err := completion.LoadEnsemble(filepath.Join(base, "t"))
	if err != nil {
		return nil, err
	}
	files, err := whole.Files()
	if err != nil {
		return nil, err
	}
	flat := map[string][]byte{} // since what is mutated are the files of one folder
	for name, content := range files {
		flat[strings.ReplaceAll(name, "/", within)] = content
	}
	return newPrepared(folder, flat, func(folder, mutated string) error {
		flat, err := allFiles(folder)
		if err != nil {
			return err
		}
		read := map[string][]byte{}
		for name, content := range flat {
			read[strings.ReplaceAll(name, within, "/")] = content
		}
		t, err := completion.LoadEnsembleFiles(read)
		if err != nil {
			return err
		}
		if _, err := t.Files(); err != nil {
			return inconsistent("what was read cannot be written: %v", err)
		}
		if mutated != "" && mutated != "model.json" && !bytes.Equal(read[strings.ReplaceAll(mutated, within, "/")], files[strings.ReplaceAll(mutated, within, "/")]) {
			return inconsistent("%s has another checksum than it should have", mutated)
		}
		return nil
	}), nil
}

// within stands for a slash.
const within = "__"

// prepareCheckpoint makes one of a training that is over: whoever goes on from it has
// nothing to do, and the model.
func prepareCheckpoint(base, folder string) (*prepared, error) {
	g, err := datasets.ReadFolder(filepath.Join(base, "small"))
	if err != nil {
		return nil, err
	}
	settings := kge.DefaultSettings()
	settings.Dim, settings.Epochs, settings.Batch = 4, 2, 64
	member := kge.DefaultMember(structure.MustParse("1,0;0,2"))
	data, engine := completion.Data(g), cpu.New(1)
	return prepareKept(folder, func(_ context.Context, file string) (any, error) {
		report, err := kge.Train(context.Background(), engine, kge.Job{Data: data, Settings: settings, Members: []kge.Member{member}, Checkpoint: &kge.Checkpoint{File: file}})
		if err != nil {
			return nil, err
		}
		return report.Results[0].Model, report.Results[0].Err
	})
}

// prepareClassCheckpoint makes one of a training that was interrupted on its way.
func prepareClassCheckpoint(base, folder string) (*prepared, error) {
	g, err := rdf.ReadFolder(filepath.Join(base, "kinds"), rdf.Options{})
	if err != nil {
		return nil, err
	}
	settings := classify.Defaults(classify.BLM)
	settings.Dim, settings.Layers, settings.Epochs, settings.Runs, settings.Folds = 4, 1, 3, 1, 2
	member := classify.DefaultMember()
	member.Structure = structure.MustParse("1,0;0,2")
	return prepareKept(folder, func(ctx context.Context, file string) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		kept, err := classify.OpenCheckpoint(file, time.Hour, func(error) {})
		if err != nil {
			return nil, err
		}
		o := classify.Options{Engine: classifycpu.New(1), Checkpoint: kept, KeepModels: true}
		if ctx.Value(interrupting{}) != nil {
			o.OnProgress = func(done, total int) {
				if done > total/2 {
					cancel()
				}
			}
		}
		results, err := classify.TrainOnce(ctx, g, settings, o, []classify.Member{member})
		if err != nil {
			return nil, err
		}
		return results[0], results[0].Err
	})
}

// interrupting marks the context of a training that is to be interrupted.
type interrupting struct{}

// prepareKept is for a training that keeps a checkpoint, and is gone on with from one.
func prepareKept(folder string, train func(ctx context.Context, file string) (any, error)) (*prepared, error) {
	const name = "training-0123"
	path := filepath.Join(folder, name)
	if _, err := train(context.WithValue(context.Background(), interrupting{}, true), path); err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	files, err := filesOf(folder, name)
	if err != nil {
		return nil, err
	}
	want, err := train(context.Background(), path)
	if err != nil {
		return nil, err
	}
	p := newPrepared(folder, files, nil)
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	content := files[name]
	p.packed[name] = packing{content[:len(content)-4], func(content []byte) []byte { // with the right checksum
		return binary.LittleEndian.AppendUint32(content, sum(content))
	}}
	p.read = func(folder, mutated string) error {
		for _, other := range []string{".before", ".next"} {
			if err := os.Remove(path + other); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		mutant, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := train(context.Background(), path)
		n := len(mutant) - 4
		if mutated != "" && n >= 0 && binary.LittleEndian.Uint32(mutant[n:]) == sum(mutant[:n]) && (err == nil || errors.Is(err, kge.ErrDiverged) || errors.Is(err, classify.ErrDiverged)) {
			return nil // whoever makes the checksum anew may say anything
		}
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			return inconsistent("a damaged checkpoint gave another result")
		}
		return nil
	}
	return p, nil
}

func prepareStudy(from string) func(base, folder string) (*prepared, error) {
	return func(base, folder string) (*prepared, error) {
		files, err := filesOf(base, from)
		if err != nil {
			return nil, err
		}
		want, err := study.Read(filepath.Join(base, from))
		if err != nil {
			return nil, err
		}
		return newPrepared(folder, files, func(folder, _ string) error {
			got, err := study.Read(filepath.Join(folder, from))
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(got, want) {
				return inconsistent("a damaged study was read as another one")
			}
			return nil
		}), nil
	}
}

func prepareStructure(_, folder string) (*prepared, error) {
	p := newPrepared(folder, map[string][]byte{
		"text": []byte("1,0,0,0;0,2,0,0;0,0,3,0;0,0,0,-4"), "name": []byte("complex"), "array": []byte("[[1,-2],[2,1]]"),
	}, func(folder, mutated string) error {
		if mutated == "" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(folder, mutated))
		if err != nil {
			return err
		}
		if len(text) > 0 && text[0] == '@' {
			return nil // the name of a file
		}
		a, err := structure.Parse(string(text))
		if err != nil {
			return err
		}
		back, err := structure.Parse(a.String())
		if err != nil || back != a {
			return inconsistent("%q was read as %v, and that as %v (%v)", text, a, back, err)
		}
		if c := a.Canonical(structure.Full); c.Canonical(structure.Full) != c || c.Degenerate() != a.Degenerate() {
			return inconsistent("%v has the canonical form %v, which is none", a, c)
		}
		return nil
	})
	p.named = false
	return p, nil
}

func prepareNpy(_, folder string) (*prepared, error) {
	table := make([]float32, 12)
	for i := range table {
		table[i] = float32(i)
	}
	p := newPrepared(folder, map[string][]byte{"a.npy": npy.Encode(table, 3, 4)}, func(folder, _ string) error {
		content, err := os.ReadFile(filepath.Join(folder, "a.npy"))
		if err != nil {
			return err
		}
		got, err := npy.Read(content, 3, 4)
		if err == nil && len(got) != 12 {
			return inconsistent("an array of 3 times 4 has %d numbers", len(got))
		}
		return err
	})
	p.named = false
	return p, nil
}

func prepareJSON(base, folder string) (*prepared, error) {
	contents, err := study.Read(filepath.Join(base, "s.db"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, value := range map[string]any{
		"trial": contents.Trials[0], "about": contents.About, "settings": contents.About.Settings, "training": kge.DefaultSettings(),
		"member": kge.DefaultMember(structure.MustParse("complex")),
	} {
		if files[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	into := map[string]func() any{
		"trial": func() any { return &task.Trial{} }, "about": func() any { return &study.About{} }, "settings": func() any { return &search.Settings{} },
		"training": func() any { return &kge.Settings{} }, "member": func() any { return &kge.Member{} },
	}
	p := newPrepared(folder, files, func(folder, mutated string) error {
		if mutated == "" {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(folder, mutated))
		if err != nil {
			return err
		}
		value := into[mutated]()
		if err := json.Unmarshal(content, value); err != nil {
			return err
		}
		if _, err := json.Marshal(value); err != nil {
			return inconsistent("what was read cannot be written: %v", err)
		}
		if valid, is := value.(interface{ Validate() error }); is {
			_ = valid.Validate()
		}
		return nil
	})
	p.named = false
	return p, nil
}
