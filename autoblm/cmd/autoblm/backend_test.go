package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestBackendListJSON(t *testing.T) {
	t.Setenv("AUTOBLM_BACKEND", "")
	t.Setenv("GOMLX_BACKEND", "")
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	o := object(t, "backend list")
	names := map[any]bool{}
	for _, b := range o["backends"].([]any) {
		row := b.(map[string]any)
		names[row["name"]] = true
		if row["usable"] == (row["reason"] != "") || row["usable"] == (row["fix"] != "") {
			t.Errorf("usable, or why not and what helps: %v", row)
		}
	}
	if !names["go"] || !names["xla:cpu"] || !names["xla:cuda"] {
		t.Errorf("backends %v", names)
	}
	has(t, o, fields{"chosen.backend": "", "chosen.from": "auto", "error": ""}) // without CUDA
	t.Setenv("AUTOBLM_BACKEND", "go")
	has(t, object(t, "backend list"),
		fields{"chosen.backend": "go", "chosen.from": "AUTOBLM_BACKEND"})
	t.Setenv("AUTOBLM_BACKEND", "xla:/nowhere/p.so")
	contains(t, object(t, "backend list")["error"].(string), "AUTOBLM_BACKEND", "/nowhere/p.so")
}

// wideTerminal is a terminal on which no table wraps.
type wideTerminal struct{ strings.Builder }

func (*wideTerminal) Width() int { return 200 }

func TestBackendTable(t *testing.T) {
	h200 := []probe.GPU{{Name: "NVIDIA H200", Memory: 143771 << 20, Driver: "580.159.03"}}
	l := backendList{Backends: []backend.Backend{
		{Name: "go", Usable: true},
		{Name: "xla:cpu", Reason: "there is no plugin", Fix: "install one"},
		{Name: "xla:cuda", Usable: true, Plugin: "/p/jax/cuda.so", Version: "Jax 0.11.2", PJRT: "0.104",
			GPUs: h200},
		{Name: "xla:/p/old.so", Plugin: "/p/old.so", Reason: "it is\x1b[2J broken", Fix: "mend it"},
	}}
	for says, chosen := range map[string]backendList{
		"The default is the native engine": {Chosen: backend.Choice{From: "auto"}},
		"The default of --backend is xla:cuda": {Chosen: backend.Choice{Backend: "xla:cuda",
			From: "auto"}},
		"xla:cuda, from GOMLX_BACKEND": {Chosen: backend.Choice{Backend: "xla:cuda",
			From: "GOMLX_BACKEND"}},
		"unusable: AUTOBLM_BACKEND: no": {Error: "AUTOBLM_BACKEND: no"},
	} {
		l.Chosen, l.Error = chosen.Chosen, chosen.Error
		var text wideTerminal
		l.print(&text)
		contains(t, text.String(), "NVIDIA H200, 140 GiB, driver 580.159.03", "/p/jax/cuda.so",
			"Jax 0.11.2, PJRT 0.104", "xla:cpu: there is no plugin\n    install one\n", says)
		if strings.Contains(text.String(), "\x1b") {
			t.Error("control characters reach the terminal")
		}
	}
}

// TestInstallFromEmptyIndex checks that a failed installation writes nothing.
func TestInstallFromEmptyIndex(t *testing.T) {
	plugins := t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH",
		plugins+string(filepath.ListSeparator)+filepath.Join(plugins, "nvidia"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	index := httptest.NewServer(http.NotFoundHandler())
	defer index.Close()
	t.Setenv("PIP_INDEX_URL", index.URL)
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	for _, what := range []string{"cpu", "cuda12"} {
		stderr := fail(t, cli.Failed, "install the plugin", "backend install", what)
		if (what != "cpu") != strings.Contains(stderr, "hides all GPUs") {
			t.Errorf("%s: %s", what, stderr)
		}
	}
	if entries, err := os.ReadDir(plugins); err != nil || len(entries) > 0 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

// TestBackendRefusals: unknown names are wrong usage; missing things are failures.
func TestBackendRefusals(t *testing.T) {
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", "") // where nothing can be installed, so nothing is fetched
	train := "train --dataset world" + quick
	for _, c := range []struct {
		variable, value string
		refusal
	}{
		{"", "", refusal{cli.Misuse, "use xla:" + filepath.FromSlash("/"),
			train + "--backend xla:plugins/p.so"}},
		{"AUTOBLM_BACKEND", "abacus", refusal{cli.Failed, "AUTOBLM_BACKEND", train}},
		{"GOMLX_BACKEND", "xla:/nowhere/p.so", refusal{cli.Failed, "GOMLX_BACKEND", train}},
		{"CUDA_VISIBLE_DEVICES", "", refusal{cli.Failed, "backend: ", train + "--backend xla:cuda"}},
		{"", "", refusal{cli.Misuse, "rocm", "backend install rocm"}},
		{"", "", refusal{cli.Failed, "install the plugin", "backend install cpu"}},
		{"CUDA_VISIBLE_DEVICES", "", refusal{cli.Failed, "install the plugin", "backend install cuda"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			if c.variable != "" {
				t.Setenv(c.variable, c.value)
			}
			fail(t, c.status, c.text, c.line)
		})
	}
}
