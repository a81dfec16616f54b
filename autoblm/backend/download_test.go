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

	"github.com/autoblm/autoblm-go/autoblm/backend/pip"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
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

// packed is a wheel with files, each with a content of its own.
func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range files {
		all[name] = []byte("content of " + name)
	}
	return packedAs(t, all)
}

func packedAs(t *testing.T, files map[string][]byte) []byte {
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
		if strings.HasSuffix(r.URL.Path, "/") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// closed is the address of a server that is no more.
func closed() string {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.URL
}

// downloads is a downloader that asks indexes.
func downloads(t *testing.T, cache string, indexes ...string) downloader {
	t.Helper()
	client, err := pip.NewClient(pip.Settings{Indexes: indexes})
	if err != nil {
		t.Fatal(err)
	}
	return downloader{client: client, cache: cache}
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

// TestReleasesHaveDigests: what has not the digest that is pinned, or none, leaves nothing
// behind, neither in the cache nor among the plugins, and harms no plugin that is there.
func TestReleasesHaveDigests(t *testing.T) {
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
		s, err := source{release: release{address + "/" + c.file + ".tar.gz", c.pinned}}.with("cpu", c.given)
		if err == nil {
			err = downloads(t, cache).fetch(t.Context(), folder, s)
		}
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

// TestCPUIsAWheel: the plugin comes from the first index that has the file with the digest that
// is pinned, or else from the release, if its digest is known.
func TestCPUIsAWheel(t *testing.T) {
	const file = "xla_cpu-1.2-py3-none-any.whl"
	content := packedAs(t, map[string][]byte{"xla_cpu/xla.so": probetest.Plugin(), "xla_cpu/pjrt.h": nil, "xla_cpu-1.2.dist-info/RECORD": nil})
	w := wheel{"xla-cpu", "1.2", file, sum(content)}
	archived := archive(t, "pjrt_c_api_cpu_v1_plugin.so", probetest.Plugin())
	link := func(digest string) []byte { return []byte(`<a href="/` + file + digest + `">`) }
	files := map[string][]byte{"/right/xla-cpu/": link("#sha256=" + w.SHA256), "/silent/xla-cpu/": link(""), "/other/xla-cpu/": link("#sha256=" + sum(nil)), "/empty/xla-cpu/": nil, "/" + file: content, "/plugin.tar.gz": archived}
	address, asked := serve(t, files)
	changed, changes := serve(t, map[string][]byte{"/right/xla-cpu/": files["/right/xla-cpu/"], "/silent/xla-cpu/": files["/silent/xla-cpu/"], "/" + file: append(bytes.Clone(content), 0)})
	lost, _ := serve(t, map[string][]byte{"/right/xla-cpu/": files["/right/xla-cpu/"]})
	two := packedAs(t, map[string][]byte{"a.so": nil, "b.so": nil})
	twice, _ := serve(t, map[string][]byte{"/right/xla-cpu/": link(""), "/" + file: two})
	const installed, fromRelease = "pjrt_c_api_cpu_xla-cpu-1.2_plugin.so", "pjrt_c_api_cpu_v1_plugin.so"
	away := closed()
	for name, c := range map[string]struct {
		indexes []string
		wheels  []wheel
		release release
		given   string
		plugin  string   // what is installed, or
		says    []string // what is said
	}{
		"as the index says":             {[]string{address + "/right"}, []wheel{w}, release{}, "", installed, nil},
		"the index does not say":        {[]string{address + "/silent"}, []wheel{w}, release{}, "", installed, nil},
		"in the further index":          {[]string{address + "/empty", away, lost + "/right", address + "/right"}, []wheel{w}, release{}, "", installed, nil},
		"right in the further index":    {[]string{changed + "/right", address + "/other", address + "/right"}, []wheel{w}, release{}, "", installed, nil},
		"the digest is given, too":      {[]string{address + "/right"}, []wheel{w}, release{address + "/plugin.tar.gz", ""}, w.SHA256, installed, nil},
		"the release is asked for":      {[]string{address + "/right"}, []wheel{w}, release{address + "/plugin.tar.gz", ""}, sum(archived), fromRelease, nil},
		"no index has it":               {[]string{address + "/empty"}, []wheel{w}, release{address + "/plugin.tar.gz", sum(archived)}, "", fromRelease, nil},
		"no index is there":             {[]string{away}, []wheel{w}, release{address + "/plugin.tar.gz", sum(archived)}, "", fromRelease, nil},
		"no wheel for this system":      {[]string{address + "/right"}, nil, release{address + "/plugin.tar.gz", sum(archived)}, "", fromRelease, nil},
		"the index says another":        {[]string{address + "/other"}, []wheel{w}, release{address + "/plugin.tar.gz", sum(archived)}, "", "", []string{"not what was pinned", address + "/other", sum(nil), "not downloaded", "do not use it"}},
		"it is another":                 {[]string{changed + "/silent"}, []wheel{w}, release{address + "/plugin.tar.gz", sum(archived)}, "", "", []string{"not what was pinned", "was removed", w.SHA256, "do not use it"}},
		"it is none":                    {[]string{lost + "/right"}, []wheel{w}, release{}, "", "", []string{"404", "PIP_INDEX_URL"}},
		"nowhere":                       {[]string{address + "/empty"}, []wheel{w}, release{}, "", "", []string{file, "in none of the places", address + "/empty", "PIP_INDEX_URL", "xla:/"}},
		"no place":                      {nil, []wheel{w}, release{}, "", "", []string{"there are none", "PIP_INDEX_URL"}},
		"nowhere, nor the release":      {[]string{away}, []wheel{w}, release{address + "/plugin.tar.gz", ""}, "", "", []string{"cannot be reached", "plugin.tar.gz is not downloaded", "HTTPS_PROXY", "give it"}},
		"nor can the release be had":    {[]string{away}, []wheel{w}, release{away + "/plugin.tar.gz", sum(archived)}, "", "", []string{"cannot be reached", ", and ", "HTTPS_PROXY"}},
		"two libraries":                 {[]string{twice + "/right"}, []wheel{{"xla-cpu", "1.2", file, sum(two)}}, release{}, "", "", []string{"2 shared libraries"}},
		"a digest where there are more": {[]string{address + "/right"}, []wheel{w, w}, release{}, w.SHA256, "", []string{"are pinned"}},
	} {
		folder, cache := filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "cache")
		s, err := source{c.wheels, c.release}.with("cpu", c.given)
		if err == nil {
			err = downloads(t, cache, c.indexes...).fetch(t.Context(), folder, s)
		}
		got := strings.Join(listed(t, folder), " ")
		if left := listed(t, cache); len(left) > 0 && name != "two libraries" {
			t.Errorf("%s: the cache keeps %v", name, left)
		}
		if c.plugin != "" {
			here, readErr := os.ReadFile(filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
			if err != nil || readErr != nil || !bytes.Equal(here, probetest.Plugin()) || !strings.Contains(got, c.plugin) || len(strings.Fields(got)) != 2 {
				t.Errorf("%s: %v; there are %s (%v)", name, err, got, readErr)
			}
			continue
		}
		if err == nil || got != "" {
			t.Errorf("%s: %v; there are %s", name, err, got)
			continue
		}
		told := explainInstall("cpu", err).Error()
		for _, says := range c.says {
			if !strings.Contains(told, says) || strings.Contains(told, "\n") {
				t.Errorf("%s: %q, which should say %q in one line", name, told, says)
			}
		}
	}
	if changes["/"+file] != 2 || asked["/"+file] == 0 {
		t.Errorf("asked for %v and %v", changes, asked)
	}
}

// TestCUDAIsOfManyWheels: all are there before anything is replaced, and one that was
// downloaded whole is not downloaded again, unless it was changed.
func TestCUDAIsOfManyWheels(t *testing.T) {
	files := map[string][]byte{
		"/f/jax_cuda13_pjrt-1-a.whl": packed(t, "jax_plugins/xla_cuda13/xla_cuda_plugin.so"),
		"/f/nvidia_cublas-1-a.whl":   packed(t, "nvidia/cu13/lib/libcublas.so.13", "nvidia/cu13/lib/libcublasLt.so.13", "nvidia_cublas.dist-info/RECORD"),
		"/f/nvidia_nvcc-1-a.whl":     packed(t, "nvidia/cu13/bin/ptxas"),
	}
	var pins []wheel
	for _, name := range []string{"jax-cuda13-pjrt", "nvidia-cublas", "nvidia-nvcc"} {
		file := strings.ReplaceAll(name, "-", "_") + "-1-a.whl"
		pins = append(pins, wheel{name, "1", file, sum(files["/f/"+file])})
		files["/"+name+"/"] = []byte(`<a href="/f/` + file + `">`)
	}
	address, asked := serve(t, files)
	library, cache := t.TempDir(), t.TempDir()
	folder := filepath.Join(library, "go-xla")
	old := filepath.Join(folder, "nvidia", "old.so")
	if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	d := downloads(t, cache, address)
	wrong := append([]wheel{}, pins...)
	wrong[2].SHA256 = sum(nil)
	if err := d.fetch(t.Context(), folder, source{wheels: wrong}); !errors.Is(err, errDigest) {
		t.Errorf("a wheel of another digest: %v", err)
	}
	if got := strings.Join(listed(t, library), " "); got != "go-xla/nvidia/old.so" {
		t.Errorf("after that there are %s", got)
	}
	if err := os.WriteFile(filepath.Join(cache, "nvidia_cublas-1-a.whl"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := d.fetch(stopped, folder, source{wheels: pins}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	var told []string
	d.progress = func(name string, done, total int64) { told = append(told, name) }
	if err := d.fetch(t.Context(), folder, source{wheels: pins}); err != nil {
		t.Fatal(err)
	}
	if asked["/f/jax_cuda13_pjrt-1-a.whl"] != 1 || asked["/f/nvidia_cublas-1-a.whl"] != 2 || asked["/f/nvidia_nvcc-1-a.whl"] != 2 || len(told) < 2 {
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

// TestPins: each wheel has its digest, and is of the package and version that it says. The
// digest of a release that could not be had is "", and refused.
func TestPins(t *testing.T) {
	hexadecimal := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for plugin, wheels := range pinned().Wheels {
		for _, w := range wheels {
			if !hexadecimal.MatchString(w.SHA256) {
				t.Errorf("%s: the digest of %s is %q", plugin, w.File, w.SHA256)
			}
			if !strings.HasPrefix(w.File, strings.ReplaceAll(w.Package, "-", "_")+"-"+w.Version+"-") || path.Base(w.File) != w.File {
				t.Errorf("%s: %s is not of %s %s", plugin, w.File, w.Package, w.Version)
			}
		}
	}
	for system, r := range pinned().Releases {
		if r.SHA256 != "" && !hexadecimal.MatchString(r.SHA256) || !strings.HasPrefix(r.URL, "https://") || !strings.Contains(r.URL, system) {
			t.Errorf("%s is %v", system, r)
		}
	}
	for _, name := range []string{"cuda12", "cuda13"} {
		if s := pinned().source(name); len(s.wheels) < 10 || s.wheels[0].Package != "jax-"+name+"-pjrt" || s.release.URL != "" {
			t.Errorf("%s is of %v", name, s)
		}
	}
	for _, system := range []string{"linux_amd64", "linux_arm64"} {
		if len(pinned().Wheels["cpu_"+system]) != 1 || pinned().Releases[system].URL == "" {
			t.Errorf("there is not one plugin for %s", system)
		}
	}
}

// TestPinsAreInTheIndex asks the index that pip would ask for all that is pinned.
func TestPinsAreInTheIndex(t *testing.T) {
	settings, err := pip.SettingsOf(probe.This())
	if err != nil {
		t.Skip("pip's settings here are unusual: ", err)
	}
	client, err := pip.NewClient(settings)
	if err != nil {
		t.Skip("pip's settings here are unusual: ", err)
	}
	for plugin, wheels := range pinned().Wheels {
		for _, w := range wheels {
			files, err := client.Files(t.Context(), w.Package)
			i := slices.IndexFunc(files, func(f pip.File) bool { return f.Name == w.File })
			switch {
			case i < 0 && err != nil:
				t.Skip("an index cannot be asked: ", err)
			case i < 0 && !slices.Contains(client.Places(), "https://pypi.org/simple"):
				t.Skip("another index has no ", w.File)
			case i < 0:
				t.Errorf("%s: the index has no %s", plugin, w.File)
			case files[i].SHA256 != "" && files[i].SHA256 != w.SHA256:
				t.Errorf("%s: %s has the digest %s in %s, not %s", plugin, w.File, files[i].SHA256, files[i].Place, w.SHA256)
			}
		}
	}
}
