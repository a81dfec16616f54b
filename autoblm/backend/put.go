package backend

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

// put puts the files of a plugin into the folder of plugins.
type put func(ctx context.Context, folder string, files []string) error

// putArchive unpacks a release of the plugin for the CPU as go-xla's installer does.
func putArchive(_ context.Context, folder string, files []string) error {
	fresh, err := freshFolder(folder, ".cpu-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if _, err := installer.Untar(files[0], fresh); err != nil {
		return err
	}
	plugins, err := fs.Glob(os.DirFS(fresh), "pjrt_c_api_cpu_*_plugin.so") // the folder's own name is no pattern
	if err != nil || len(plugins) != 1 {
		return fmt.Errorf("%s holds %d plugins pjrt_c_api_cpu_*_plugin.so instead of one (%v)", filepath.Base(files[0]), len(plugins), err)
	}
	return putCPU(filepath.Join(fresh, plugins[0]), folder, plugins[0])
}

// putWheels is how wheels are put: a single one is a plugin for the CPU.
func putWheels(wheels []wheel) put {
	if len(wheels) != 1 {
		return putCUDA
	}
	return func(_ context.Context, folder string, files []string) error {
		return putWheel(folder, files[0], wheels[0])
	}
}

// putWheel unpacks the one library in a wheel, which is a plugin for the CPU. Its name there
// tells the package and its version.
func putWheel(folder, file string, w wheel) error {
	library, err := onlyLibrary(file)
	if err != nil {
		return err
	}
	fresh, err := freshFolder(folder, ".cpu-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	unpacked := filepath.Join(fresh, "plugin.so")
	if err := installer.ExtractFileFromZip(file, library, unpacked); err != nil {
		return fmt.Errorf("%s: %w", w.File, err)
	}
	return putCPU(unpacked, folder, "pjrt_c_api_cpu_"+w.Package+"-"+w.Version+"_plugin.so")
}

// onlyLibrary is the name of the shared library in a wheel.
func onlyLibrary(file string) (string, error) {
	packed, err := zip.OpenReader(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	defer packed.Close()
	var libraries []string
	for _, f := range packed.File {
		if strings.HasSuffix(f.Name, ".so") {
			libraries = append(libraries, f.Name)
		}
	}
	if len(libraries) != 1 {
		return "", fmt.Errorf("%s holds %d shared libraries instead of one", filepath.Base(file), len(libraries))
	}
	return libraries[0], nil
}

// putCPU gives a plugin its name, and makes it the one that is found as "cpu".
func putCPU(file, folder, name string) error {
	if err := os.Rename(file, filepath.Join(folder, name)); err != nil {
		return err
	}
	return link(name, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
}

// putCUDA unpacks the wheels of Jax's plugin, the first, and of NVIDIA's libraries, where
// go-xla's installer would: the plugin finds its libraries beside itself.
func putCUDA(ctx context.Context, folder string, files []string) error {
	fresh, err := freshFolder(folder, ".nvidia-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := installer.ExtractFileFromZip(files[0], "xla_cuda_plugin.so", filepath.Join(fresh, "pjrt_c_api_cuda_plugin.so")); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(files[0]), err)
	}
	for _, file := range files[1:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := installer.ExtractDirFromZip(file, "nvidia", fresh); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	if err := os.MkdirAll(filepath.Join(fresh, "bin"), 0o755); err != nil {
		return err
	}
	for _, compiler := range []string{"cu13/bin/ptxas", "cuda_nvcc/bin/ptxas"} {
		if _, err := os.Stat(filepath.Join(fresh, compiler)); err == nil {
			if err := link("../"+compiler, filepath.Join(fresh, "bin", "ptxas")); err != nil {
				return err
			}
			break
		}
	}
	for _, library := range []string{"libcublasLt.so.13", "libcublas.so.13"} { // which NVIDIA's own search misses
		inside := filepath.Join("cu13", "lib", library)
		if _, err := os.Stat(filepath.Join(fresh, inside)); err != nil {
			continue
		}
		if err := link(filepath.Join(filepath.Base(folder), "nvidia", inside), filepath.Join(filepath.Dir(folder), library)); err != nil {
			return err
		}
	}
	there := filepath.Join(folder, "nvidia")
	if err := os.RemoveAll(there); err != nil {
		return err
	}
	return os.Rename(fresh, there)
}

// freshFolder is an empty folder, without what an interrupted call has left in it.
func freshFolder(in, name string) (string, error) {
	fresh := filepath.Join(in, name)
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	return fresh, os.Mkdir(fresh, 0o755)
}

func link(to, at string) error {
	if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(to, at)
}
