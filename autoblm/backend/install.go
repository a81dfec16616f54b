package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// Install downloads a plugin into go-xla's folder in the home of the user: "cpu" is the
// version that go-xla was tested with; "cuda12" and "cuda13" are Jax's, with NVIDIA's
// libraries; "cuda" is the newer of these that the driver here can run, and the newest
// where there is no driver. Versions are pinned, and so are digests: what has another one
// is removed, and what has none is refused. When ctx ends, so does the call.
func Install(ctx context.Context, what string, o InstallOptions) (Backend, error) {
	folder, err := pluginFolder()
	if err != nil {
		return Backend{}, fmt.Errorf("cannot install a plugin: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Backend{}, fmt.Errorf("cannot install a plugin: %w", err)
	}
	fetches := map[string]fetch{}
	for _, name := range installable {
		pins := pinned()[name]
		if name == "cpu" {
			pins = pinned()["cpu_"+runtime.GOOS+"_"+runtime.GOARCH]
		}
		fetches[name] = func(ctx context.Context, folder string) error {
			return o.fetch(ctx, name, folder, filepath.Join(cache, "autoblm", "plugins"), pins)
		}
	}
	return here().install(ctx, what, folder, fetches)
}

// fetch downloads a plugin into a folder.
type fetch func(ctx context.Context, folder string) error

func (f finder) install(ctx context.Context, what, folder string, fetches map[string]fetch) (Backend, error) {
	backend := CPU
	download := what
	if strings.HasPrefix(what, "cuda") {
		backend = CUDA
		if what == "cuda" {
			download = f.newestCUDA(ctx)
		}
	}
	fetch, ok := fetches[download]
	if !ok {
		return Backend{}, fmt.Errorf("there is no plugin %s to install for %s on %s: there are %s", what, f.machine.System, f.machine.Processor,
			strings.Join(slices.Sorted(maps.Keys(fetches)), ", "))
	}
	if searched := f.machine.PluginFolders(); !slices.Contains(searched, folder) {
		return Backend{}, fmt.Errorf("cannot install the plugin %s: %s keeps XLA from looking into %s, where the plugin goes: unset it, or add this folder", what, probe.PluginPaths, folder)
	}
	switch err := fetch(ctx, folder); {
	case ctx.Err() != nil:
		return Backend{}, fmt.Errorf("interrupted before the plugin %s was there: start again, and what was downloaded whole is not downloaded twice", what)
	case err != nil:
		return Backend{}, explainInstall(what, err)
	}
	b := f.named(ctx, backend)
	if !strings.HasPrefix(b.Plugin, folder+string(filepath.Separator)) {
		return b, fmt.Errorf("the plugin %s was installed in %s, but is not the one found there: look there for what else it holds", what, folder)
	}
	return b, nil
}

// newestCUDA is the newest CUDA that the driver here can run: 13 needs its version 580.
// https://docs.nvidia.com/cuda/cuda-toolkit-release-notes
func (f finder) newestCUDA(ctx context.Context) string {
	for _, gpu := range f.machine.GPUs(ctx) {
		major, _, _ := strings.Cut(gpu.Driver, ".")
		if n, err := strconv.Atoi(major); err == nil && n < 580 {
			return "cuda12"
		}
	}
	return "cuda13"
}

// explainInstall adds what helps to an error of the installer.
func explainInstall(what string, err error) error {
	mend := "start again, or copy a plugin from elsewhere and name it as the backend xla:/path/of/plugin.so"
	var network *url.Error
	switch {
	case errors.As(err, &network):
		err = fmt.Errorf("%s cannot be reached (%w)", host(network.URL), network.Err)
		mend = "go online (a proxy goes into HTTPS_PROXY), or copy a plugin from elsewhere and name it as the backend xla:/path/of/plugin.so"
	case errors.Is(err, ErrNoDigest):
		mend = "read the digest where the file is released, and give it"
	case errors.Is(err, errDigest):
		mend = "start again; if it is the same then, the file was changed after it was pinned: do not use it, and tell the authors"
	case errors.Is(err, fs.ErrPermission):
		mend = "make the folder writable"
	}
	return fmt.Errorf("cannot install the plugin %s: %w: %s", what, err, mend)
}

func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
