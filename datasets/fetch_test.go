package datasets

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// archiveServer serves an archive like a simple web server and records the requested ranges.
type archiveServer struct {
	*httptest.Server
	mutex   sync.Mutex
	ranges  []string
	content []byte
	etag    string
	// breakAfter cuts the bodies of the first responses after these numbers of bytes.
	breakAfter []int
	// ignoreRange makes every response contain the whole file.
	ignoreRange bool
}

func serve(t *testing.T, content []byte) *archiveServer {
	s := &archiveServer{content: content, etag: `"one"`}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		if s.ignoreRange {
			r.Header.Del("Range")
		}
		if s.etag != "" {
			w.Header().Set("ETag", s.etag)
		}
		if len(s.breakAfter) > 0 {
			w = &breakingWriter{ResponseWriter: w, left: s.breakAfter[0]}
			s.breakAfter = s.breakAfter[1:]
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.content))
	}))
	t.Cleanup(s.Close)
	return s
}

type breakingWriter struct {
	http.ResponseWriter
	left int
}

func (w *breakingWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return w.ResponseWriter.Write(p)
	}
	if _, err := w.ResponseWriter.Write(p[:w.left]); err != nil {
		return 0, err
	}
	w.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// smallBenchmark returns a benchmark with the splits of splitsAt, with LF line ends.
func smallBenchmark(addresses ...string) Benchmark {
	return Benchmark{
		Name: "small", Addresses: addresses,
		// From `printf CONTENT | sha256sum`, and `git hash-object --stdin` for the last.
		TrainSum: "e15bb1c2f30f655787ff861f8c48d03ac50d704ba06af3cf509fe265073e446a",
		ValidSum: "fb15e079b38be103607132016602fe567697724bc57ee51d3f5aef45d1373064",
		TestSum:  "d3078f7914ec5047a69f033764c106df0e9730a7",
	}
}

func checkFetched(t *testing.T, b Benchmark, cache string) {
	t.Helper()
	if err := b.verify(filepath.Join(cache, b.Name)); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != b.Name {
			t.Errorf("%s was left in the cache folder", entry.Name())
		}
	}
}

// partPath returns the file of an unfinished download.
func partPath(cache, address string) string {
	return newDownload(address, filepath.Join(cache, "small"), FetchOptions{}).path
}

func TestFetch(t *testing.T) {
	_, cache := useFolders(t)
	archive := tarGzipOf(t, splitsAt("Small/x-")...)
	server := serve(t, archive)
	b := smallBenchmark(server.URL)
	var done, total int64
	dir, err := b.fetch(t.Context(), FetchOptions{Progress: func(d, n int64) {
		if d < done {
			t.Errorf("the progress goes from %d back to %d", done, d)
		}
		done, total = d, n
	}})
	if err != nil {
		t.Fatal(err)
	}
	if dir != filepath.Join(cache, "small") {
		t.Errorf("fetched into %s", dir)
	}
	checkFetched(t, b, cache)
	if size := int64(len(archive)); done != size || total != size {
		t.Errorf("the progress ends with %d of %d bytes, want %d", done, total, size)
	}
	if g, err := ReadFolder(dir); err != nil || len(g.Train) != 2 {
		t.Errorf("reading what was fetched: %v", err)
	}
	if _, err := b.fetch(t.Context(), FetchOptions{}); err != nil || len(server.ranges) != 1 {
		t.Errorf("a second fetch made another request (%d) or failed: %v", len(server.ranges), err)
	}
}

func TestFetchReplacesADamagedCopy(t *testing.T) {
	_, cache := useFolders(t)
	putSplit(t, filepath.Join(cache, "small"), "train", "half a li")
	b := smallBenchmark(serve(t, zipOf(t, splitsAt("")...)).URL)
	if _, err := b.fetch(t.Context(), FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	checkFetched(t, b, cache)
}

func TestFetchResumes(t *testing.T) {
	archive := tarGzipOf(t, splitsAt("")...)
	newer := zipOf(t, splitsAt("newer/")...)
	for name, c := range map[string]struct {
		part    []byte // left by an earlier run
		version string // kept by an earlier run
		change  func(*archiveServer)
		want    []string // ranges asked for
	}{
		"the rest is asked for": {part: archive[:100], version: `"one"`,
			want: []string{"bytes=100-"}},
		"no version known": {part: archive[:100], want: []string{"bytes=100-"}},
		"everything is here": {part: archive, version: `"one"`,
			want: []string{"bytes=" + strconv.Itoa(len(archive)) + "-"}},
		"the server ignores ranges": {part: archive[:100], change: func(s *archiveServer) {
			s.ignoreRange = true
		}, want: []string{"bytes=100-"}},
		"the archive changed": {part: archive[:100], version: `"one"`, change: func(s *archiveServer) {
			s.content, s.etag = newer, `"two"`
		}, want: []string{"bytes=100-"}},
		"the archive changed unnoticed": {part: []byte(strings.Repeat("x", 100)),
			change: func(s *archiveServer) {
				s.etag = ""
			}, want: []string{"bytes=100-", ""}},
		"more is here than the server has": {part: append(bytes.Clone(archive), "more"...),
			want: []string{"bytes=" + strconv.Itoa(len(archive)+4) + "-", ""}},
		"the transfer breaks off": {change: func(s *archiveServer) {
			s.breakAfter = []int{50}
		}, want: []string{"", "bytes=50-"}},
		"the transfer breaks off two times": {change: func(s *archiveServer) {
			s.breakAfter = []int{50, 30}
		}, want: []string{"", "bytes=50-", "bytes=80-"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, cache := useFolders(t)
			server := serve(t, archive)
			if c.change != nil {
				c.change(server)
			}
			if err := os.MkdirAll(cache, 0o755); err != nil {
				t.Fatal(err)
			}
			part := partPath(cache, server.URL)
			for path, content := range map[string]string{part: string(c.part),
				part + ".version": c.version} {
				if content == "" {
					continue
				}
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			b := smallBenchmark(server.URL)
			if _, err := b.fetch(t.Context(), FetchOptions{}); err != nil {
				t.Fatal(err)
			}
			checkFetched(t, b, cache)
			if got := strings.Join(server.ranges, " | "); got != strings.Join(c.want, " | ") {
				t.Errorf("asked for the ranges %q, want %q", got, strings.Join(c.want, " | "))
			}
		})
	}
}

func TestFetchGoesOnAfterCancel(t *testing.T) {
	_, cache := useFolders(t)
	padded := append(splitsAt(""), member{name: "noise", content: incompressible(1 << 20)})
	archive := tarGzipOf(t, padded...)
	server, never := serve(t, archive), serve(t, archive)
	b := smallBenchmark(server.URL, never.URL)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.fetch(ctx, FetchOptions{Progress: func(done, _ int64) {
		if done > 0 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want %v", err, context.Canceled)
	}
	if len(never.ranges) != 0 {
		t.Error("the next address was tried after a cancel")
	}
	info, err := os.Stat(partPath(cache, server.URL))
	if err != nil || info.Size() == 0 || info.Size() >= int64(len(archive)) {
		t.Fatalf("what was downloaded is not kept: %v %v", info, err)
	}
	if _, err := b.fetch(t.Context(), FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	checkFetched(t, b, cache)
	if len(server.ranges) != 2 || server.ranges[1] == "" {
		t.Errorf("asked for the ranges %q, want the rest in the second request", server.ranges)
	}
}

func incompressible(size int) string {
	bytes := make([]byte, size)
	rand.NewChaCha8([32]byte{}).Read(bytes)
	return string(bytes)
}

func TestFetchTriesTheNextAddress(t *testing.T) {
	_, cache := useFolders(t)
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	others := splitsAt("")
	others[1].content = "another\tvalid\tsplit\n"
	bad := []string{
		missing.URL, closed.URL,
		serve(t, []byte("<html>please log in</html>")).URL,
		serve(t, tarGzipOf(t, append(splitsAt("a/"), splitsAt("b/")...)...)).URL,
		serve(t, tarGzipOf(t, others...)).URL,
	}
	b := smallBenchmark(append(bad, serve(t, zipOf(t, splitsAt("")...)).URL)...)
	if _, err := b.fetch(t.Context(), FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	checkFetched(t, b, cache)

	useFolders(t)
	b = smallBenchmark(bad...)
	_, err := b.fetch(t.Context(), FetchOptions{})
	if err == nil {
		t.Fatal("no error although every address failed")
	}
	for _, part := range append(bad, "404", "refused", "neither a .tar.gz", "several data sets",
		"valid.txt is not the file of small") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

func TestFetchIntoAFolderThatCannotBeWritten(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(cache, nil, 0o644); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	server := serve(t, zipOf(t, splitsAt("")...))
	_, err := smallBenchmark(server.URL).fetch(t.Context(), FetchOptions{})
	if err == nil || !strings.Contains(err.Error(), "XDG_CACHE_HOME") || len(server.ranges) != 0 {
		t.Errorf("error %v after %d requests, want one before any that names XDG_CACHE_HOME", err,
			len(server.ranges))
	}
}

// A failure of this machine does not lead to a request to the next server.
func TestFetchStopsWhenItCannotStore(t *testing.T) {
	_, cache := useFolders(t)
	server, never := serve(t, zipOf(t, splitsAt("")...)), serve(t, nil)
	// a folder where the file should be
	if err := os.MkdirAll(partPath(cache, server.URL), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := smallBenchmark(server.URL, never.URL).fetch(t.Context(), FetchOptions{})
	if err == nil || !strings.Contains(err.Error(), "store small") ||
		!strings.Contains(err.Error(), "XDG_CACHE_HOME") {
		t.Errorf("error %v, want one that says what to do", err)
	}
	if len(never.ranges) != 0 {
		t.Error("the next address was tried")
	}
}

func TestDownloadFromASilentServer(t *testing.T) {
	for name, sendFirst := range map[string]string{"before the answer": "",
		"within the answer": "some bytes"} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if sendFirst != "" {
					if _, err := w.Write([]byte(sendFirst)); err != nil {
						t.Error(err)
					}
					w.(http.Flusher).Flush()
				}
				<-done
			}))
			defer silent.Close()
			defer close(done)
			d := newDownload(silent.URL, filepath.Join(t.TempDir(), "small"), FetchOptions{})
			d.patience = 50 * time.Millisecond
			if _, err := d.run(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "sent nothing for 50ms") {
				t.Errorf("error %v, want one that says that the server is silent", err)
			}
		})
	}
}

// /dev/full refuses every byte, like a full disk.
func TestDownloadOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("this system has no /dev/full, a file that behaves like a full disk")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var d download
	err = d.copy(t.Context(), full, strings.NewReader("content"), -1, func() {})
	var local *localError
	if !errors.As(err, &local) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want the full disk as a trouble of this machine", err)
	}
}

func TestFetchOfUnknownNames(t *testing.T) {
	for name, want := range map[string]string{"wordnet": "wn18rr", "world": "embedded"} {
		if _, err := Fetch(t.Context(), name, FetchOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Fetch(%q): error %v, want one with %q", name, err, want)
		}
	}
}
