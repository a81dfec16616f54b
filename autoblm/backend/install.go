package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

// Progress receives the name of a file, the downloaded bytes and its size, or -1 if the size
// is unknown.
type Progress func(name string, done, total int64)

// Install downloads a plugin into the first folder of PJRT_PLUGIN_LIBRARY_PATH, or
// go-xla's folder in the user's home. "cpu" is XLA's plugin for the CPU; "cuda12" and
// "cuda13" are Jax's plugins with NVIDIA's libraries; "cuda" is the newer one that the
// driver supports. Versions and digests are pinned. Cancelling ctx stops the download.
func Install(ctx context.Context, plugin string, progress Progress) (Backend, error) {
	b, err := install(ctx, plugin, progress)
	if err != nil {
		return b, fmt.Errorf("install the plugin %s: %w", plugin, err)
	}
	return b, nil
}

func install(ctx context.Context, plugin string, progress Progress) (Backend, error) {
	f := here()
	folder, err := f.pluginFolder()
	if err != nil {
		return Backend{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Backend{}, err
	}
	index, _ := f.machine.Env("PIP_INDEX_URL")
	d, err := newDownloader(index, filepath.Join(cache, "autoblm", "plugins"))
	if err != nil {
		return Backend{}, err
	}
	d.progress = progress
	return f.install(ctx, plugin, folder, func(ctx context.Context, wheels []wheel) error {
		return d.fetch(ctx, folder, wheels)
	})
}

// pluginFolder returns the folder for new plugins.
func (f finder) pluginFolder() (string, error) {
	if f.noXLA != nil {
		return "", f.noXLA
	}
	if _, set := f.machine.Env(probe.PluginPaths); set {
		if folders := f.machine.PluginFolders(); len(folders) > 0 {
			return folders[0], nil
		}
	}
	return defaultFolder()
}

// fetch downloads all wheels of a plugin, then unpacks them and empties the cache. It fails while
// another process does so.
func (d downloader) fetch(ctx context.Context, folder string, wheels []wheel) error {
	for _, dir := range []string{d.cache, folder} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		release, err := atomicfile.Hold(dir)
		if err != nil {
			return err
		}
		defer release()
	}
	var files []string
	for _, w := range wheels {
		file, err := d.wheel(ctx, w)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	unpack := func() error { return unpackCUDA(ctx, folder, files) }
	if len(wheels) == 1 {
		unpack = func() error { return unpackCPU(folder, files[0], wheels[0]) }
	}
	if err := unpack(); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// install installs a plugin with fetch, and returns the backend that uses it.
func (f finder) install(
	ctx context.Context, plugin, folder string,
	fetch func(ctx context.Context, wheels []wheel) error,
) (Backend, error) {
	backend, pluginFolder := CPU, folder
	if strings.HasPrefix(plugin, "cuda") {
		backend, pluginFolder = CUDA, filepath.Join(folder, "nvidia")
	}
	if plugin == "cuda" {
		plugin = f.newestCUDA(ctx)
	}
	wheels := f.wheels(plugin)
	if len(wheels) == 0 {
		return Backend{}, fmt.Errorf("not available for %s on %s; %s",
			f.machine.System, f.machine.Processor, usePlugin)
	}
	if !slices.Contains(f.machine.PluginFolders(), pluginFolder) {
		return Backend{}, fmt.Errorf("XLA does not search %s, because %s is set; unset it, "+
			"or add this folder", pluginFolder, probe.PluginPaths)
	}
	switch err := fetch(ctx, wheels); {
	case ctx.Err() != nil:
		return Backend{}, errors.New("interrupted; start again to reuse the downloaded files")
	case err != nil:
		return Backend{}, withFix(err)
	}
	b := f.named(ctx, backend)
	if !strings.HasPrefix(b.Plugin, folder+string(filepath.Separator)) {
		return b, fmt.Errorf("installed in %s, but XLA uses %q; remove other plugins there",
			folder, b.Plugin)
	}
	f.load(&b)
	return b, nil
}

// newestCUDA returns the newest CUDA that the driver supports: 13 needs driver 580.
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

const (
	usePlugin = "get a plugin elsewhere, such as " +
		"https://github.com/gomlx/pjrt-cpu-binaries/releases, and use the backend xla:/path/of/plugin.so"
	chooseIndex = "set PIP_INDEX_URL to an index that has it (pip config get global.index-url)"
)

// withFix adds the fix to an error of a download.
func withFix(err error) error {
	fix := "start again, or " + usePlugin
	switch {
	case errors.Is(err, errDigest):
		fix = "start again; if the digest is the same, the file changed after it was pinned: " +
			"do not use it, and report it"
	case errors.Is(err, errNoFile):
		fix = chooseIndex + ", or " + usePlugin
	case errors.Is(err, errNetwork):
		fix = "check the network and HTTPS_PROXY, " + chooseIndex + ", or " + usePlugin
	case errors.Is(err, fs.ErrPermission):
		fix = "make the folder writable"
	}
	return fmt.Errorf("%w; %s", err, fix)
}
