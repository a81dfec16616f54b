package datasets

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// archiveServer serves an archive and counts the requests.
type archiveServer struct {
	*httptest.Server
	requests int
}

func serve(t *testing.T, content []byte) *archiveServer {
	s := &archiveServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests++
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // fails when the client is gone
	}))
	t.Cleanup(s.Close)
	return s
}

// serveBroken cuts the transfer of an archive.
func serveBroken(t *testing.T, content []byte) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:len(content)/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	return s
}

// smallBenchmark returns a benchmark with the splits of splitsAt, with LF line ends.
func smallBenchmark(addresses ...string) Benchmark {
	return Benchmark{
		Name: "small", Addresses: addresses,
		// From `printf CONTENT | sha256sum`, and `git hash-object --stdin` for the last.
		Sums: [3]string{"e15bb1c2f30f655787ff861f8c48d03ac50d704ba06af3cf509fe265073e446a",
			"fb15e079b38be103607132016602fe567697724bc57ee51d3f5aef45d1373064",
			"d3078f7914ec5047a69f033764c106df0e9730a7"},
	}
}

// fetched fetches a benchmark and checks that the cache folder holds nothing else.
func fetched(t *testing.T, cache string, b Benchmark) {
	t.Helper()
	dir, err := b.fetch(t.Context(), nil)
	if err != nil || dir != filepath.Join(cache, b.Name) || !b.isIn(dir) {
		t.Errorf("fetched into %s: %v", dir, err)
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 1 {
		t.Errorf("the cache folder has %v, %v", entries, err)
	}
}

func TestFetch(t *testing.T) {
	data, cache := useFolders(t)
	archive := tarGzipOf(t, splitsAt("Small/x-")...)
	server := serve(t, archive)
	b := smallBenchmark(server.URL)
	var done, total int64
	dir, err := b.fetch(t.Context(), func(d, n int64) {
		if d < done {
			t.Errorf("the progress goes from %d back to %d", done, d)
		}
		done, total = d, n
	})
	if err != nil {
		t.Fatal(err)
	}
	if size := int64(len(archive)); done != size || total != size {
		t.Errorf("the progress ends with %d of %d bytes, want %d", done, total, size)
	}
	if g, err := ReadFolder(dir); err != nil || len(g.Train) != 2 {
		t.Errorf("reading the fetched benchmark: %v", err)
	}
	if fetched(t, cache, b); server.requests != 1 {
		t.Errorf("a second fetch made another request: %d", server.requests)
	}
	own := filepath.Join(data, "small")
	if err := os.Rename(dir, own); err != nil {
		t.Fatal(err)
	}
	if dir, err := b.fetch(t.Context(), nil); err != nil || dir != own || server.requests != 1 {
		t.Errorf("fetched %s after %d requests, %v: want %s, which has it", dir, server.requests, err, own)
	}
}

func TestFetchReplacesADamagedCopy(t *testing.T) {
	_, cache := useFolders(t)
	putSplit(t, filepath.Join(cache, "small"), "train", "half a li")
	fetched(t, cache, smallBenchmark(serve(t, zipOf(t, splitsAt("")...)).URL))
}

func TestFetchStopsAtCancel(t *testing.T) {
	_, cache := useFolders(t)
	archive := zipOf(t, splitsAt("")...)
	server, never := serve(t, archive), serve(t, archive)
	b := smallBenchmark(server.URL, never.URL)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.fetch(ctx, func(done, _ int64) { cancel() })
	checkError(t, err, "download interrupted")
	if !errors.Is(err, context.Canceled) || never.requests != 0 {
		t.Errorf("error %v, %d requests to the next address", err, never.requests)
	}
	fetched(t, cache, b)
}

func TestFetchTriesTheNextAddress(t *testing.T) {
	_, cache := useFolders(t)
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	others := splitsAt("")
	others[1].content = "another\tvalid\tsplit\n"
	good := zipOf(t, splitsAt("")...)
	bad := []string{
		missing.URL, closed.URL, serveBroken(t, good).URL,
		serve(t, []byte("<html>please log in</html>")).URL,
		serve(t, tarGzipOf(t, append(splitsAt("a/"), splitsAt("b/")...)...)).URL,
		serve(t, tarGzipOf(t, others...)).URL,
	}
	fetched(t, cache, smallBenchmark(append(bad, serve(t, good).URL)...))

	useFolders(t)
	_, err := smallBenchmark(bad...).fetch(t.Context(), nil)
	checkError(t, err, append(bad, "404", "refused", "broke off", "neither a .tar.gz",
		"several data sets", "valid.txt is not the file of small", "try again later")...)
}

func TestFetchIntoAFolderThatCannotBeWritten(t *testing.T) {
	_, cache := useFolders(t)
	server := serve(t, zipOf(t, splitsAt("")...))
	b := smallBenchmark(server.URL)
	putSplit(t, filepath.Join(cache, b.Name, "train.txt"), "x", "") // a folder in place of a file
	_, err := b.fetch(t.Context(), nil)
	checkError(t, err, "store small", "XDG_CACHE_HOME")

	file := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	server.requests = 0
	_, err = b.fetch(t.Context(), nil)
	if checkError(t, err, "store small", "XDG_CACHE_HOME"); server.requests != 0 {
		t.Errorf("%d requests, although nothing can be stored", server.requests)
	}
}

func TestDownloadFromASilentServer(t *testing.T) {
	defer func(before time.Duration) { serverPatience = before }(serverPatience)
	serverPatience = 50 * time.Millisecond
	for name, sendFirst := range map[string]string{"before the response": "",
		"within the response": "some bytes"} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if sendFirst != "" {
					_, _ = w.Write([]byte(sendFirst))
					w.(http.Flusher).Flush()
				}
				<-done
			}))
			defer silent.Close()
			defer close(done)
			_, err := download(t.Context(), silent.URL, nil)
			checkError(t, err, "sent nothing for 50ms")
		})
	}
}

func TestFetchOfUnknownNames(t *testing.T) {
	for name, want := range map[string]string{"wordnet": "wn18rr", "world": "embedded"} {
		_, err := Fetch(t.Context(), name, nil)
		checkError(t, err, want)
	}
}
