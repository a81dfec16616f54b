package backend

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// wheelOf returns a wheel with files. Each file contains "content of" and its name.
func wheelOf(t *testing.T, files ...string) []byte {
	t.Helper()
	contents := map[string][]byte{}
	for _, name := range files {
		contents[name] = []byte("content of " + name)
	}
	return wheelWith(t, contents)
}

func wheelWith(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// serve starts a server with files. It returns the address and counts the requests.
func serve(t *testing.T, files map[string][]byte) (address string, requests map[string]int) {
	t.Helper()
	requests = map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests[r.URL.Path]++
		content, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// unreachable returns the address of a closed server.
func unreachable() string {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.URL
}

func testDownloader(t *testing.T, cache, index string) downloader {
	t.Helper()
	d, err := newDownloader(index, cache)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// filesIn returns the relative paths of the files in a folder.
func filesIn(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(folder, path)
			files = append(files, name)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

// checkText checks that a text is one line with all parts.
func checkText(t *testing.T, name, text string, parts []string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want one line with %q", name, text, part)
		}
	}
}

// TestWheelFromIndex installs the plugin for the CPU from an index.
func TestWheelFromIndex(t *testing.T) {
	const file = "xla_cpu-1.2-py3-none-any.whl"
	content := wheelWith(t, map[string][]byte{
		"xla_cpu/xla.so": probetest.Plugin(), "xla_cpu/pjrt.h": nil, "xla_cpu.dist-info/RECORD": nil,
	})
	w := wheel{"xla-cpu", "1.2", file, digestOf(content)}
	link := `<A class=x HREF='/f&#47;` + file + `#sha256=x'>`
	pages := map[string][]byte{
		"/index/xla-cpu/":    []byte(`<a href="/f/` + file + `.metadata">` + link),
		"/relative/xla-cpu/": []byte(`<a href="../../f/` + file + `">`),
		"/empty/xla-cpu/":    nil,
		"/lost/xla-cpu/":     []byte(`<a href="/g/` + file + `">`),
		"/f/" + file:         content,
	}
	address, requests := serve(t, pages)
	changed := maps.Clone(pages)
	changed["/f/"+file] = append(bytes.Clone(content), 0)
	changedAddress, _ := serve(t, changed)
	two := wheelWith(t, map[string][]byte{"a.so": nil, "b.so": nil})
	twoAddress, _ := serve(t, map[string][]byte{
		"/index/xla-cpu/": pages["/index/xla-cpu/"], "/f/" + file: two,
	})
	const fromWheel = "pjrt_c_api_cpu_xla-cpu-1.2_plugin.so"
	for name, c := range map[string]struct {
		index string
		wheel wheel
		parts []string // of the error; none if the installation succeeds
	}{
		"in the index":  {address + "/index", w, nil},
		"with a slash":  {address + "/index/", w, nil},
		"relative link": {address + "/relative", w, nil},
		"changed file": {
			changedAddress + "/index", w,
			[]string{"digest differs", "/f/" + file, w.SHA256, "do not use it"},
		},
		"lost file": {
			address + "/lost", w, []string{"404", "PIP_INDEX_URL"},
		},
		"not in the index": {
			address + "/empty", w,
			[]string{file, "not in the package index", address + "/empty", "PIP_INDEX_URL", "xla:/"},
		},
		"no such package": {
			address + "/none", w,
			[]string{"not in the package index", "404", "PIP_INDEX_URL"},
		},
		"unreachable index": {
			unreachable(), w,
			[]string{"download failed", "HTTPS_PROXY", "PIP_INDEX_URL", "xla:/"},
		},
		"two libraries": {
			twoAddress + "/index",
			wheel{"xla-cpu", "1.2", file, digestOf(two)}, []string{"2 shared libraries"},
		},
	} {
		folder, cache := filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "cache")
		err := testDownloader(t, cache, c.index).fetch(t.Context(), folder, []wheel{c.wheel})
		files := filesIn(t, folder)
		if left := filesIn(t, cache); len(left) > 0 && name != "two libraries" {
			t.Errorf("%s: the cache has %v", name, left)
		}
		if c.parts != nil {
			if err == nil || len(files) > 0 {
				t.Errorf("%s: error %v, plugins %v", name, err, files)
				continue
			}
			checkText(t, name, withFix(err).Error(), c.parts)
			continue
		}
		plugin, readErr := os.ReadFile(filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
		if err != nil || readErr != nil || !bytes.Equal(plugin, probetest.Plugin()) ||
			!slices.Contains(files, fromWheel) || len(files) != 2 {
			t.Errorf("%s: %v; plugins %v (%v)", name, err, files, readErr)
		}
	}
	if requests["/f/"+file] == 0 {
		t.Errorf("requests %v", requests)
	}
}

// TestStalledDownload: a server that stops to send ends the download, and so does another process
// that installs.
func TestStalledDownload(t *testing.T) {
	const file = "p-1-any.whl"
	defer func(before time.Duration) { serverPatience = before }(serverPatience)
	serverPatience = 50 * time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) != file {
			fmt.Fprintf(w, `<a href="/%s">`, file)
			return
		}
		fmt.Fprint(w, "begun")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	folder, cache := t.TempDir(), t.TempDir()
	d := testDownloader(t, cache, server.URL)
	wheels := []wheel{{"p", "1", file, digestOf(nil)}}
	err := d.fetch(t.Context(), folder, wheels)
	if !errors.Is(err, errNetwork) || !strings.Contains(err.Error(), "the server sent nothing for 50ms") {
		t.Errorf("the error is %v", err)
	}
	release, err := atomicfile.Hold(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := d.fetch(t.Context(), folder, wheels); !errors.As(err, new(*atomicfile.LockedError)) {
		t.Errorf("while another one installs, the error is %v", err)
	}
}

// TestIndexAddress checks that credentials reach the server and stay out of errors.
func TestIndexAddress(t *testing.T) {
	const file = "p-1-any.whl"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name, password, _ := r.BasicAuth(); {
		case name != "me" || password != "secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/p/":
			_, _ = w.Write([]byte(`<a href="http://` + r.Host + `/f/` + file + `">`))
		default:
			_, _ = w.Write([]byte("content"))
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	w := wheel{"p", "1", file, digestOf([]byte("content"))}
	for user, parts := range map[string][]string{
		"me:secret@": nil, "me:wrong-password@": {"401", "PIP_INDEX_URL"}, "": {"401"},
	} {
		_, err := testDownloader(t, t.TempDir(), "http://"+user+host).wheel(t.Context(), w)
		if (err == nil) != (parts == nil) {
			t.Errorf("%q: error %v", user, err)
		}
		if err != nil {
			checkText(t, user, withFix(err).Error(), parts)
			if strings.Contains(err.Error(), "wrong-password") {
				t.Errorf("%q: the error shows the password: %v", user, err)
			}
		}
	}
	for _, address := range []string{"/folder", "file:///folder", "https://a b:p4ss@x/"} {
		if _, err := newDownloader(address, ""); err == nil || strings.Contains(err.Error(), "p4ss") {
			t.Errorf("%s: error %v", address, err)
		}
	}
}

// TestCUDA checks that all wheels are downloaded before anything is replaced, and that a
// complete download is not repeated unless it was changed.
func TestCUDA(t *testing.T) {
	files := map[string][]byte{
		"/f/jax_cuda13_pjrt-1-a.whl": wheelOf(t, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"),
		"/f/nvidia_cublas-1-a.whl": wheelOf(t, "nvidia/cu13/lib/libcublas.so.13",
			"nvidia/cu13/lib/libcublasLt.so.13", "nvidia_cublas.dist-info/RECORD"),
		"/f/nvidia_nvcc-1-a.whl": wheelOf(t, "nvidia/cu13/bin/ptxas"),
	}
	var pins []wheel
	for _, name := range []string{"jax-cuda13-pjrt", "nvidia-cublas", "nvidia-nvcc"} {
		file := strings.ReplaceAll(name, "-", "_") + "-1-a.whl"
		pins = append(pins, wheel{name, "1", file, digestOf(files["/f/"+file])})
		files["/"+name+"/"] = []byte(`<a href="/f/` + file + `">`)
	}
	address, requests := serve(t, files)
	library, cache := t.TempDir(), t.TempDir()
	folder := filepath.Join(library, "go-xla")
	old := filepath.Join(folder, "nvidia", "old.so")
	if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	d := testDownloader(t, cache, address)
	wrong := slices.Clone(pins)
	wrong[2].SHA256 = digestOf(nil)
	err := d.fetch(t.Context(), folder, wrong)
	if !errors.Is(err, errDigest) {
		t.Errorf("wrong digest: %v", err)
	}
	if got := strings.Join(filesIn(t, library), " "); got != "go-xla/nvidia/old.so" {
		t.Errorf("files after a wrong digest: %s", got)
	}
	damaged := filepath.Join(cache, "nvidia_cublas-1-a.whl")
	if err := os.WriteFile(damaged, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	err = d.fetch(cancelled, folder, pins)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	reported := 0
	d.progress = func(name string, done, total int64) { reported++ }
	if err := d.fetch(t.Context(), folder, pins); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]int{
		"jax_cuda13_pjrt": 1, "nvidia_cublas": 2, "nvidia_nvcc": 2,
	} {
		if got := requests["/f/"+file+"-1-a.whl"]; got != want {
			t.Errorf("%d requests of %s, want %d", got, file, want)
		}
	}
	if reported < 2 {
		t.Errorf("%d reports of progress", reported)
	}
	const want = "go-xla/nvidia/bin/ptxas go-xla/nvidia/cu13/bin/ptxas " +
		"go-xla/nvidia/cu13/lib/libcublas.so.13 go-xla/nvidia/cu13/lib/libcublasLt.so.13 " +
		"go-xla/nvidia/pjrt_c_api_cuda_plugin.so libcublas.so.13 libcublasLt.so.13"
	if got := strings.Join(filesIn(t, library), " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	for _, link := range []string{"go-xla/nvidia/bin/ptxas", "libcublas.so.13", "libcublasLt.so.13"} {
		content, err := os.ReadFile(filepath.Join(library, link))
		if err != nil || !strings.HasPrefix(string(content), "content of nvidia/cu13/") {
			t.Errorf("%s: %q, %v", link, content, err)
		}
	}
	if left := filesIn(t, cache); len(left) > 0 {
		t.Errorf("the cache has %v", left)
	}
}

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// TestPins checks that each wheel has a digest and the name of its package and version.
func TestPins(t *testing.T) {
	for plugin, wheels := range pinned() {
		for _, w := range wheels {
			if !digestPattern.MatchString(w.SHA256) {
				t.Errorf("%s: the digest of %s is %q", plugin, w.File, w.SHA256)
			}
			prefix := strings.ReplaceAll(w.Package, "-", "_") + "-" + w.Version + "-"
			if !strings.HasPrefix(w.File, prefix) || path.Base(w.File) != w.File {
				t.Errorf("%s: the file of %s %s is %s", plugin, w.Package, w.Version, w.File)
			}
		}
	}
	for _, cuda := range []string{"cuda12", "cuda13"} {
		if w := machine(nil).wheels(cuda); len(w) < 10 || w[0].Package != "jax-"+cuda+"-pjrt" {
			t.Errorf("the wheels of %s are %v", cuda, w)
		}
	}
	for _, system := range []string{"linux_amd64", "linux_arm64"} {
		if len(pinned()["cpu_"+system]) != 1 {
			t.Errorf("%s has no plugin for the CPU", system)
		}
	}
}

// TestPinsAreInTheIndex looks up all pins in the index.
func TestPinsAreInTheIndex(t *testing.T) {
	index := os.Getenv("PIP_INDEX_URL")
	d := testDownloader(t, t.TempDir(), index)
	for plugin, wheels := range pinned() {
		for _, w := range wheels {
			links, err := d.links(t.Context(), w.Package)
			if err != nil {
				t.Skip("the index is not available: ", err)
			}
			found := false
			for _, link := range links {
				if path.Base(link.Path) != w.File {
					continue
				}
				found = true
				if d := link.Fragment; d != "" && d != "sha256="+w.SHA256 {
					t.Errorf("%s: %s has %s in the index, pinned is %s", plugin, w.File, d, w.SHA256)
				}
			}
			if !found && index != "" {
				t.Skip("this index does not have ", w.File)
			}
			if !found {
				t.Errorf("%s: the index does not have %s", plugin, w.File)
			}
		}
	}
}
