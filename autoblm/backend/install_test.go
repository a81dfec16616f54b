package backend

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

const folder = "/usr/local/lib/go-xla"

// pretended puts a plugin where the real download does, and writes down which.
func pretended(f finder, asked *string) map[string]fetch {
	fetches := map[string]fetch{}
	for what, file := range map[string]string{"cpu": cpuFile, "cuda12": cudaFile, "cuda13": cudaFile} {
		fetches[what] = func(_ context.Context, folder string) error {
			*asked = what
			f.machine.Files.(fstest.MapFS)[strings.TrimPrefix(file, "/")] = &fstest.MapFile{Data: probetest.Plugin()}
			return nil
		}
	}
	return fetches
}

func TestInstall(t *testing.T) {
	driver := func(version string) finder {
		f := machine(nil, gpuFile)
		f.machine.AskGPUs = func(context.Context, ...string) ([]byte, error) { return []byte("NVIDIA H200, 1000, " + version), nil }
		return f
	}
	for name, c := range map[string]struct {
		finder      finder
		what        string
		asked, file string
		named       string
		usable      bool
	}{
		"cpu":                   {machine(nil), "cpu", "cpu", cpuFile, "xla:cpu", true},
		"a new driver":          {driver("580.95.05"), "cuda", "cuda13", cudaFile, "xla:cuda", true},
		"an old driver":         {driver("550.54"), "cuda", "cuda12", cudaFile, "xla:cuda", true},
		"an old driver, cuda13": {driver("550.54"), "cuda13", "cuda13", cudaFile, "xla:cuda", true},
		"no GPU":                {machine(nil), "cuda", "cuda13", cudaFile, "xla:cuda", false},
	} {
		var asked string
		b, err := c.finder.install(t.Context(), c.what, folder, pretended(c.finder, &asked))
		if err != nil || asked != c.asked || b.Plugin != c.file || b.Name != c.named || b.Usable != c.usable {
			t.Errorf("%s: downloads %q, %+v, %v", name, asked, b, err)
		}
	}
}

func TestInstallInVain(t *testing.T) {
	offline := closed()
	get := func(ctx context.Context, folder string) error {
		return downloads(t, t.TempDir(), offline).fetch(ctx, folder, source{wheels: []wheel{{Package: "a"}}})
	}
	anything := func(err error) map[string]fetch {
		return map[string]fetch{"cpu": func(context.Context, string) error { return err }}
	}
	for name, c := range map[string]struct {
		finder  finder
		what    string
		fetches map[string]fetch
		says    []string
	}{
		"no network":              {machine(nil), "cpu", map[string]fetch{"cpu": get}, []string{strings.TrimPrefix(offline, "http://") + " cannot be reached", "HTTPS_PROXY", "PIP_INDEX_URL", "the backend xla:/"}},
		"no such download here":   {machine(nil), "cuda", anything(nil), []string{"no plugin cuda", "linux on amd64", "(cpu)", "the backend xla:/"}},
		"not where XLA looks":     {machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/opt"}), "cpu", anything(nil), []string{"PJRT_PLUGIN_LIBRARY_PATH", folder, "unset"}},
		"nor for CUDA":            {machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": folder}), "cuda13", map[string]fetch{"cuda13": nil}, []string{"PJRT_PLUGIN_LIBRARY_PATH", folder + "/nvidia", "add"}},
		"no room":                 {machine(nil), "cpu", anything(errors.New("disk full")), []string{"disk full", "start again"}},
		"may not write":           {machine(nil), "cpu", anything(&os.PathError{Op: "mkdir", Path: folder, Err: os.ErrPermission}), []string{folder, "writable"}},
		"nothing came":            {machine(nil), "cpu", anything(nil), []string{"is not the one found"}},
		"another one comes first": {machine(map[string]string{"HOME": "/home/u"}, "/home/u/.local/lib/go-xla/pjrt_c_api_cpu_plugin.so"), "cpu", anything(nil), []string{"is not the one found"}},
	} {
		_, err := c.finder.install(t.Context(), c.what, folder, c.fetches)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q, which should say %q in one line", name, err, says)
			}
		}
	}
}

// TestPluginFolder: where plugins go is where XLA looks first.
func TestPluginFolder(t *testing.T) {
	own, ownErr := ownFolder()
	for paths, want := range map[string]string{"/opt/p": "/opt/p", "/a:/b": "/a", "p:/b": "/here/p", ":": own, "": own} {
		f := machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": paths, "PWD": "/here"})
		if got, err := f.pluginFolder(); got != want || want == own && err != ownErr {
			t.Errorf("%q: %s, %v, want %s", paths, got, err, want)
		}
		if _, err := f.withoutXLA().pluginFolder(); err == nil {
			t.Error("a folder for a program without XLA")
		}
	}
	if got, err := machine(nil).pluginFolder(); got != own || err != ownErr {
		t.Errorf("where nothing is said: %s, %v, want %s", got, err, own)
	}
}

func TestInterruptedInstall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	fetches := map[string]fetch{"cpu": func(ctx context.Context, _ string) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}
	_, err := machine(nil).install(ctx, "cpu", folder, fetches)
	if err == nil || !strings.Contains(err.Error(), "interrupted") || !strings.Contains(err.Error(), "start again") {
		t.Errorf("%v", err)
	}
}

// TestNothingElseIsPrinted: the standard output is for results.
func TestNothingElseIsPrinted(t *testing.T) {
	stdout, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	real := os.Stdout
	os.Stdout = stdout
	defer func() { os.Stdout = real }()
	var asked string
	f := machine(nil)
	if _, err := f.install(t.Context(), "cpu", folder, pretended(f, &asked)); err != nil {
		t.Error(err)
	}
	if b, err := Open("go:parallelism=2"); err != nil {
		t.Error(err)
	} else {
		b.Finalize()
	}
	if info, err := stdout.Stat(); err != nil || info.Size() != 0 || os.Stdout != stdout {
		t.Errorf("something was printed to the standard output, or it was not given back: %v", err)
	}
}
