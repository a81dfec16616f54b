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

type fetchFunc = func(ctx context.Context, wheels []wheel) error

// fakeFetch returns a function that places a plugin on a machine and records its package.
func fakeFetch(f finder, fetched *string) fetchFunc {
	return func(_ context.Context, wheels []wheel) error {
		*fetched = wheels[0].Package
		file := cudaFile
		if len(wheels) == 1 {
			file = cpuFile
		}
		files := f.machine.Files.(fstest.MapFS)
		files[strings.TrimPrefix(file, "/")] = &fstest.MapFile{Data: probetest.Plugin()}
		return nil
	}
}

func TestInstall(t *testing.T) {
	withDriver := func(version string) finder {
		f := machine(nil, gpuFile)
		f.machine.RunSMI = func(context.Context, ...string) ([]byte, error) {
			return []byte("NVIDIA H200, 1000, " + version), nil
		}
		return f
	}
	for name, c := range map[string]struct {
		finder        finder
		plugin        string
		fetched, file string
		backend       string
		usable        bool
	}{
		"cpu":                {machine(nil), "cpu", "xla-cpu-pjrt", cpuFile, "xla:cpu", true},
		"new driver":         {withDriver("580.95.05"), "cuda", "jax-cuda13-pjrt", cudaFile, "xla:cuda", true},
		"old driver":         {withDriver("550.54"), "cuda", "jax-cuda12-pjrt", cudaFile, "xla:cuda", true},
		"old driver, cuda13": {withDriver("550.54"), "cuda13", "jax-cuda13-pjrt", cudaFile, "xla:cuda", true},
		"no GPU":             {machine(nil), "cuda", "jax-cuda13-pjrt", cudaFile, "xla:cuda", false},
	} {
		var fetched string
		b, err := c.finder.install(t.Context(), c.plugin, folder, fakeFetch(c.finder, &fetched))
		if err != nil || fetched != c.fetched || b.Plugin != c.file || b.Name != c.backend ||
			b.Usable != c.usable {
			t.Errorf("%s: fetches %q, %+v, %v", name, fetched, b, err)
		}
	}
}

func TestInstallFails(t *testing.T) {
	offline := unreachable()
	download := func(ctx context.Context, wheels []wheel) error {
		return testDownloader(t, t.TempDir(), offline).fetch(ctx, folder, wheels)
	}
	returns := func(err error) fetchFunc {
		return func(context.Context, []wheel) error { return err }
	}
	onlyFolder := machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": folder})
	onArm := machine(nil)
	onArm.machine.Processor = "arm64"
	otherPlugin := machine(map[string]string{"HOME": "/home/u"},
		"/home/u/.local/lib/go-xla/pjrt_c_api_cpu_plugin.so")
	for name, c := range map[string]struct {
		finder finder
		plugin string
		fetch  fetchFunc
		parts  []string
	}{
		"no network": {
			machine(nil), "cpu", download,
			[]string{offline, "connection refused", "HTTPS_PROXY", "PIP_INDEX_URL", "xla:/"},
		},
		"not for this system": {
			onArm, "cuda", returns(nil), []string{"not available", "linux on arm64", "xla:/"},
		},
		"folder not searched": {
			machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/opt"}), "cpu", returns(nil),
			[]string{"PJRT_PLUGIN_LIBRARY_PATH", folder, "unset"},
		},
		"folder of CUDA not searched": {
			onlyFolder, "cuda13", returns(nil),
			[]string{"PJRT_PLUGIN_LIBRARY_PATH", folder + "/nvidia", "add"},
		},
		"disk full": {
			machine(nil), "cpu", returns(errors.New("disk full")),
			[]string{"disk full", "start again"},
		},
		"not writable": {
			machine(nil), "cpu",
			returns(&os.PathError{Op: "mkdir", Path: folder, Err: os.ErrPermission}),
			[]string{folder, "writable"},
		},
		"no plugin":    {machine(nil), "cpu", returns(nil), []string{`XLA uses ""`}},
		"other plugin": {otherPlugin, "cpu", returns(nil), []string{`XLA uses "/home/u`}},
	} {
		_, err := c.finder.install(t.Context(), c.plugin, folder, c.fetch)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		checkText(t, name, err.Error(), c.parts)
	}
}

// TestPluginFolder checks that plugins go into the folder that XLA searches first.
func TestPluginFolder(t *testing.T) {
	own, ownErr := defaultFolder()
	for paths, want := range map[string]string{
		"/opt/p": "/opt/p", "/a:/b": "/a", "p:/b": "/here/p", ":": own, "": own,
	} {
		f := machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": paths, "PWD": "/here"})
		if got, err := f.pluginFolder(); got != want || want == own && err != ownErr {
			t.Errorf("%q: %s, %v, want %s", paths, got, err, want)
		}
		if _, err := f.withoutXLA().pluginFolder(); err == nil {
			t.Error("a program without XLA has a folder")
		}
	}
	if got, err := machine(nil).pluginFolder(); got != own || err != ownErr {
		t.Errorf("no variable: %s, %v, want %s", got, err, own)
	}
}

func TestInstallInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := machine(nil).install(ctx, "cpu", folder, func(ctx context.Context, _ []wheel) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if err == nil || !strings.Contains(err.Error(), "interrupted; start again") {
		t.Errorf("error %v", err)
	}
}
