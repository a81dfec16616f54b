//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/pip"
	"github.com/google/go-cmp/cmp"
)

// TestWrittenPins: the file that is embedded is as this command writes it, a line for each pin.
func TestWrittenPins(t *testing.T) {
	text, err := os.ReadFile("../pins.json")
	if err != nil {
		t.Fatal(err)
	}
	var pins struct {
		Wheels   map[string][]wheel
		Releases map[string]release
	}
	if err := json.Unmarshal(text, &pins); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(write(pins.Wheels, pins.Releases))); diff != "" {
		t.Error(diff)
	}
	for _, processor := range []string{"amd64", "arm64"} {
		if w := pins.Wheels["cpu_linux_"+processor]; len(w) != 1 || w[0].Package != cpuPackage || w[0].Version != cpuVersion {
			t.Errorf("pinned is %v, not %s %s", w, cpuPackage, cpuVersion)
		}
	}
}

// TestLookedUp: the newest stable versions that Jax allows, for this processor, with what Jax
// asks for read beside its wheel or in it.
func TestLookedUp(t *testing.T) {
	const about = "Metadata-Version: 2.1\nName: jax-cuda13-plugin\nRequires-Dist: jax-cuda13-pjrt==0.12\nRequires-Dist: nvidia-cublas<14,>=13.1; extra == \"with-cuda\"\nRequires-Dist: nvidia-nccl-cu13\n\nJax\n"
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	if f, err := z.Create("jax_cuda13_plugin-0.12.dist-info/METADATA"); err != nil {
		t.Fatal(err)
	} else if _, err := f.Write([]byte(about)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := func(name, version, platform string) string {
		return fmt.Sprintf(`<a href="/f/%s-%s-py3-none-%s.whl#sha256=%s-%s" BESIDE>`, name, version, platform, version, platform)
	}
	const ours, arm = "manylinux2014_x86_64.manylinux_2_17_x86_64", "manylinux_2_27_aarch64"
	pages := map[string]string{
		"/jax-cuda13-pjrt/":   file("jax_cuda13_pjrt", "0.9", ours) + file("jax_cuda13_pjrt", "0.12", arm) + file("jax_cuda13_pjrt", "0.12", ours) + file("jax_cuda13_pjrt", "0.13rc1", ours) + file("jax_cuda13_pjrt", "0.14", "win_amd64"),
		"/jax-cuda13-plugin/": file("jax_cuda13_plugin", "0.12", ours),
		"/nvidia-cublas/":     file("nvidia_cublas", "13.0", ours) + file("nvidia_cublas", "13.10", ours) + file("nvidia_cublas", "13.9", ours) + file("nvidia_cublas", "14.1", ours),
		"/nvidia-nccl-cu13/":  file("nvidia_nccl_cu13", "2", ours),
		"/f/jax_cuda13_plugin-0.12-py3-none-" + ours + ".whl.metadata": about,
		"/f/jax_cuda13_plugin-0.12-py3-none-" + ours + ".whl":          packed.String(),
	}
	for _, beside := range []string{"", "data-core-metadata=true"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			page, there := pages[r.URL.Path]
			if !there || beside == "" && strings.HasSuffix(r.URL.Path, ".metadata") {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(strings.ReplaceAll(page, "BESIDE", beside)))
		}))
		client, err := pip.NewClient(pip.Settings{Indexes: []string{server.URL}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := pinner{client}.cuda(t.Context(), "cuda13")
		var want []wheel
		for _, w := range [][2]string{{"jax-cuda13-pjrt", "0.12"}, {"nvidia-cublas", "13.10"}, {"nvidia-nccl-cu13", "2"}} {
			want = append(want, wheel{w[0], w[1], strings.ReplaceAll(w[0], "-", "_") + "-" + w[1] + "-py3-none-" + ours + ".whl", strings.ToLower(w[1] + "-" + ours)})
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: %s", err, diff)
		}
		if got, err := (pinner{client}).version(t.Context(), "jax-cuda13-pjrt", "0.12", "arm64"); err != nil || !strings.Contains(got.File, arm) {
			t.Errorf("for arm64: %v, %v", got, err)
		}
		if _, err := (pinner{client}).version(t.Context(), "jax-cuda13-pjrt", "0.9", "arm64"); err == nil {
			t.Error("a wheel that is not there")
		}
		server.Close()
	}
}
