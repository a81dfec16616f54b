package backend

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

func archive(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = w.Write(content)
	}
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func wheel(t *testing.T, files ...string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, name := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte("content of " + name))
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

// serve is a server with files, and how often each was asked for.
func serve(t *testing.T, files map[string][]byte) (address string, asked map[string]int) {
	t.Helper()
	asked = map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		content, there := files[r.URL.Path]
		if !there {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// listed are the files of folders, without the folders.
func listed(t *testing.T, folders ...string) (all []string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				name, _ := filepath.Rel(folder, path)
				all = append(all, name)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return all
}

// TestDownloadsHaveDigests: what has not the digest that is pinned, or none, leaves nothing
// behind, neither in the cache nor among the plugins, and harms no plugin that is there.
func TestDownloadsHaveDigests(t *testing.T) {
	plugin := archive(t, "pjrt_c_api_cpu_v1_plugin.so", probetest.Plugin())
	right := sum(plugin)
	address, _ := serve(t, map[string][]byte{"/right.tar.gz": plugin, "/other.tar.gz": append(bytes.Clone(plugin), 0), "/empty.tar.gz": archive(t, "readme", nil)})
	for name, c := range map[string]struct {
		file, pinned, given string
		says                []string // none where it is installed
	}{
		"as pinned":           {"right", right, "", nil},
		"as given":            {"right", "", "sha256:" + strings.ToUpper(right), nil},
		"as pinned and given": {"right", right, right, nil},
		"not as pinned":       {"other", right, "", []string{"not what was pinned", right, "was removed", "do not use it"}},
		"not as given":        {"other", "", right, []string{"was removed"}},
		"none pinned":         {"right", "", "", []string{"is not downloaded: no SHA-256 digest", "/right.tar.gz", "give it"}},
		"no digest":           {"right", "", "abc", []string{`"abc" is no SHA-256 digest`, "64"}},
		"another than pinned": {"right", right, sum(nil), []string{"are pinned"}},
		"not there":           {"none", right, "", []string{"404"}},
		"no plugin in it":     {"empty", sum(archive(t, "readme", nil)), "", []string{"holds 0 plugins"}},
	} {
		folder, cache := filepath.Join(t.TempDir(), "[a]", "go-xla"), filepath.Join(t.TempDir(), "cache") // a name, no pattern
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		const before = "pjrt_c_api_cpu_v0_plugin.so"
		if err := os.WriteFile(filepath.Join(folder, before), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		err := InstallOptions{SHA256: c.given}.fetch(t.Context(), "cpu", folder, cache, []pin{{address + "/" + c.file + ".tar.gz", c.pinned}})
		files := strings.Join(listed(t, folder), " ")
		if c.says == nil {
			target, linkErr := os.Readlink(filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
			if err != nil || linkErr != nil || target != "pjrt_c_api_cpu_v1_plugin.so" || files != "pjrt_c_api_cpu_plugin.so "+before+" pjrt_c_api_cpu_v1_plugin.so" {
				t.Errorf("%s: %v; there are %s, and the link leads to %q (%v)", name, err, files, target, linkErr)
			}
			if left := listed(t, cache); len(left) > 0 {
				t.Errorf("%s: the cache keeps %v", name, left)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		told := explainInstall("cpu", err).Error()
		for _, says := range c.says {
			if !strings.Contains(told, says) || strings.Contains(told, "\n") {
				t.Errorf("%s: %q, which should say %q in one line", name, told, says)
			}
		}
		if files != before {
			t.Errorf("%s: the folder of plugins holds %s", name, files)
		}
		if left := listed(t, cache); name != "no plugin in it" && len(left) > 0 {
			t.Errorf("%s: the cache keeps %v", name, left)
		}
	}
}

// TestCUDAIsOfManyWheels: all are there before anything is replaced, and one that was
// downloaded whole is not downloaded again, unless it was changed.
func TestCUDAIsOfManyWheels(t *testing.T) {
	files := map[string][]byte{
		"/a/jax_cuda13_pjrt.whl": wheel(t, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"),
		"/b/nvidia_cublas.whl":   wheel(t, "nvidia/cu13/lib/libcublas.so.13", "nvidia/cu13/lib/libcublasLt.so.13", "nvidia_cublas.dist-info/RECORD"),
		"/c/nvidia_nvcc.whl":     wheel(t, "nvidia/cu13/bin/ptxas"),
	}
	address, asked := serve(t, files)
	pins := []pin{}
	for _, name := range []string{"/a/jax_cuda13_pjrt.whl", "/b/nvidia_cublas.whl", "/c/nvidia_nvcc.whl"} {
		pins = append(pins, pin{address + name, sum(files[name])})
	}
	library, cache := t.TempDir(), t.TempDir()
	folder := filepath.Join(library, "go-xla")
	old := filepath.Join(folder, "nvidia", "old.so")
	if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := append([]pin{}, pins...)
	wrong[2].SHA256 = sum(nil)
	if err := (InstallOptions{}).fetch(t.Context(), "cuda13", folder, cache, wrong); !errors.Is(err, errDigest) {
		t.Errorf("a wheel of another digest: %v", err)
	}
	if got := strings.Join(listed(t, library), " "); got != "go-xla/nvidia/old.so" {
		t.Errorf("after that there are %s", got)
	}
	if err := os.WriteFile(filepath.Join(cache, "nvidia_cublas.whl"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := (InstallOptions{}).fetch(stopped, "cuda13", folder, cache, pins); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	var told []string
	o := InstallOptions{Progress: func(name string, done, total int64) { told = append(told, name) }}
	if err := o.fetch(t.Context(), "cuda13", folder, cache, pins); err != nil {
		t.Fatal(err)
	}
	if asked["/a/jax_cuda13_pjrt.whl"] != 1 || asked["/b/nvidia_cublas.whl"] != 2 || asked["/c/nvidia_nvcc.whl"] != 2 || len(told) < 2 {
		t.Errorf("asked for %v, told of %v", asked, told)
	}
	const want = "go-xla/nvidia/bin/ptxas go-xla/nvidia/cu13/bin/ptxas go-xla/nvidia/cu13/lib/libcublas.so.13 go-xla/nvidia/cu13/lib/libcublasLt.so.13 " +
		"go-xla/nvidia/pjrt_c_api_cuda_plugin.so libcublas.so.13 libcublasLt.so.13"
	if got := strings.Join(listed(t, library), " "); got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	for _, linked := range []string{"go-xla/nvidia/bin/ptxas", "libcublas.so.13", "libcublasLt.so.13"} {
		if content, err := os.ReadFile(filepath.Join(library, linked)); err != nil || !strings.HasPrefix(string(content), "content of nvidia/cu13/") {
			t.Errorf("%s: %q, %v", linked, content, err)
		}
	}
	if left := listed(t, cache); len(left) > 0 {
		t.Errorf("the cache keeps %v", left)
	}
}

// TestPins: each file has its digest. For the plugin for the CPU, one that could not be had is "", and refused.
func TestPins(t *testing.T) {
	hexadecimal := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for name, pins := range pinned() {
		for _, p := range pins {
			if cpu := strings.HasPrefix(name, "cpu_"); !hexadecimal.MatchString(p.SHA256) && !(cpu && p.SHA256 == "") {
				t.Errorf("%s: the digest of %s is %q", name, p.URL, p.SHA256)
			}
			if !strings.HasPrefix(p.URL, "https://") {
				t.Errorf("%s is at %s", name, p.URL)
			}
		}
	}
	for _, name := range []string{"cuda12", "cuda13"} {
		if pins := pinned()[name]; len(pins) < 10 || !strings.Contains(pins[0].URL, "/jax_"+name+"_pjrt-") {
			t.Errorf("%s is of %v", name, pins)
		}
	}
}
