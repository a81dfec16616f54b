package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/pip"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// InstallOptions are what [Install] can be told. The zero value is fine.
type InstallOptions struct {
	// SHA256 takes go-xla's own release of the plugin for the CPU, of which no digest is
	// pinned, and says which digest it must have. "" takes what is pinned.
	SHA256 string
	// Progress is called with the name of a file, the bytes that are here and its size,
	// -1 where that is not known.
	Progress func(name string, done, total int64)
}

// Install downloads a plugin into go-xla's folder in the home of the user, or into the first
// of the folders in PJRT_PLUGIN_LIBRARY_PATH. "cpu" is XLA's from the Python Package Index, or
// go-xla's own release where no index has that for this system or can be reached; "cuda12" and
// "cuda13" are Jax's, with NVIDIA's libraries; "cuda" is the newer of these that the driver
// here can run, and the newest where there is no driver. Indexes are those of pip's settings.
// Versions are pinned, and so are digests: what has another one is removed, and what has none
// is refused. When ctx ends, so does the call.
func Install(ctx context.Context, what string, o InstallOptions) (Backend, error) {
	f := here()
	folder, err := f.pluginFolder()
	if err != nil {
		return Backend{}, fmt.Errorf("cannot install a plugin: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Backend{}, fmt.Errorf("cannot install a plugin: %w", err)
	}
	settings, err := pip.SettingsOf(f.machine)
	if err != nil {
		return Backend{}, fmt.Errorf("cannot install a plugin: %w", err)
	}
	client, err := pip.NewClient(settings)
	if err != nil {
		return Backend{}, fmt.Errorf("cannot install a plugin: %w", err)
	}
	d := downloader{client, filepath.Join(cache, "autoblm", "plugins"), o.Progress}
	fetches := map[string]fetch{}
	for _, name := range installable {
		fetches[name] = func(ctx context.Context, folder string) error {
			s, err := pinned().source(name).with(name, o.SHA256)
			if err != nil {
				return err
			}
			return d.fetch(ctx, folder, s)
		}
	}
	return f.install(ctx, what, folder, fetches)
}

// pluginFolder is where plugins go.
func (f finder) pluginFolder() (string, error) {
	if f.noXLA != nil {
		return "", f.noXLA
	}
	if _, set := f.machine.Env(probe.PluginPaths); set {
		if chosen := f.machine.PluginFolders(); len(chosen) > 0 {
			return chosen[0], nil
		}
	}
	return ownFolder()
}

// with takes the release with a digest that the user has, if any.
func (s source) with(what, sum string) (source, error) {
	given := strings.ToLower(strings.TrimPrefix(sum, "sha256:"))
	if given == "" {
		return s, nil
	}
	if content, err := hex.DecodeString(given); err != nil || len(content) != sha256.Size {
		return source{}, fmt.Errorf("%q is no SHA-256 digest, which has %d hexadecimal digits", sum, 2*sha256.Size)
	}
	if len(s.wheels) == 1 && s.wheels[0].SHA256 == given {
		return source{wheels: s.wheels}, nil
	}
	if s.release.URL == "" || s.release.SHA256 != "" && s.release.SHA256 != given {
		return source{}, fmt.Errorf("the digests of the plugin %s are pinned: leave the other one out", what)
	}
	return source{release: release{s.release.URL, given}}, nil
}

// fetch downloads the files of a plugin, all of them before anything is installed, and puts
// them into the folder of plugins.
func (d downloader) fetch(ctx context.Context, folder string, s source) error {
	files, put, err := d.files(ctx, s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := put(ctx, folder, files); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
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
		return Backend{}, fmt.Errorf("there is no plugin %s to install for %s on %s: install what there is (%s), or %s", what, f.machine.System, f.machine.Processor,
			strings.Join(slices.Sorted(maps.Keys(fetches)), ", "), elsewhere)
	}
	goes := folder
	if backend == CUDA {
		goes = filepath.Join(folder, "nvidia")
	}
	if searched := f.machine.PluginFolders(); !slices.Contains(searched, goes) {
		return Backend{}, fmt.Errorf("cannot install the plugin %s: %s keeps XLA from looking into %s, where the plugin goes: unset it, or add this folder", what, probe.PluginPaths, goes)
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
	f.try(&b)
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

const elsewhere = "copy a plugin from elsewhere and name it as the backend xla:/path/of/plugin.so"

// explainInstall adds what helps to an error of the installer.
func explainInstall(what string, err error) error {
	mend := "start again, or " + elsewhere
	var place *pip.Error
	switch {
	case errors.Is(err, errDigest):
		mend = "start again, or with another index; if it is the same then, the file was changed after it was pinned: do not use it, and tell the authors"
	case errors.Is(err, errNowhere):
		mend = "name an index that has it in pip's settings, as PIP_INDEX_URL, or " + elsewhere
	case errors.As(err, &place):
		mend = "go online (a proxy goes into HTTPS_PROXY, a mirror into pip's settings, as PIP_INDEX_URL), or " + elsewhere
	case errors.Is(err, fs.ErrPermission):
		mend = "make the folder writable"
	}
	if errors.Is(err, ErrNoDigest) {
		release := "read the digest where the file is released, and give it"
		if isAway(err) {
			release = mend + ", or " + release
		}
		mend = release
	}
	return fmt.Errorf("cannot install the plugin %s: %w: %s", what, err, mend)
}
