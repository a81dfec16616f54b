package backend

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

// unpackCPU unpacks the only shared library of a wheel as plugin for the CPU, and names
// it after the package and its version. The name "cpu" links to it.
func unpackCPU(folder, file string, w wheel) error {
	library, err := onlyLibrary(file)
	if err != nil {
		return err
	}
	fresh, err := emptyFolder(folder, ".cpu-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	unpacked := filepath.Join(fresh, "plugin.so")
	if err := installer.ExtractFileFromZip(file, library, unpacked); err != nil {
		return fmt.Errorf("%s: %w", w.File, err)
	}
	name := "pjrt_c_api_cpu_" + w.Package + "-" + w.Version + "_plugin.so"
	if err := os.Rename(unpacked, filepath.Join(folder, name)); err != nil {
		return err
	}
	return link(name, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
}

// onlyLibrary returns the name of the only shared library in a wheel.
func onlyLibrary(file string) (string, error) {
	wheel, err := zip.OpenReader(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	defer wheel.Close()
	var libraries []string
	for _, f := range wheel.File {
		if strings.HasSuffix(f.Name, ".so") {
			libraries = append(libraries, f.Name)
		}
	}
	if len(libraries) != 1 {
		return "", fmt.Errorf("%s has %d shared libraries, want 1", filepath.Base(file), len(libraries))
	}
	return libraries[0], nil
}

// unpackCUDA unpacks the wheel of Jax's plugin, which is first, and the wheels of NVIDIA's
// libraries. It uses the layout of go-xla's installer: the plugin finds its libraries in
// its own folder.
func unpackCUDA(ctx context.Context, folder string, files []string) error {
	fresh, err := emptyFolder(folder, ".nvidia-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	plugin := filepath.Join(fresh, "pjrt_c_api_cuda_plugin.so")
	if err := installer.ExtractFileFromZip(files[0], "xla_cuda_plugin.so", plugin); err != nil {
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
	if err := linkCUDA(folder, fresh); err != nil {
		return err
	}
	old := filepath.Join(folder, "nvidia")
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	return os.Rename(fresh, old)
}

// linkCUDA links the assembler and the libraries to where XLA and cuBLAS search them.
func linkCUDA(folder, fresh string) error {
	if err := os.MkdirAll(filepath.Join(fresh, "bin"), 0o755); err != nil {
		return err
	}
	for _, assembler := range []string{"cu13/bin/ptxas", "cuda_nvcc/bin/ptxas"} {
		if _, err := os.Stat(filepath.Join(fresh, assembler)); err != nil {
			continue
		}
		if err := link("../"+assembler, filepath.Join(fresh, "bin", "ptxas")); err != nil {
			return err
		}
		break
	}
	for _, library := range []string{"libcublasLt.so.13", "libcublas.so.13"} {
		inside := filepath.Join("cu13", "lib", library)
		if _, err := os.Stat(filepath.Join(fresh, inside)); err != nil {
			continue
		}
		target := filepath.Join(filepath.Base(folder), "nvidia", inside)
		if err := link(target, filepath.Join(filepath.Dir(folder), library)); err != nil {
			return err
		}
	}
	return nil
}

// emptyFolder makes an empty folder, in place of one that an interrupted call left.
func emptyFolder(parent, name string) (string, error) {
	folder := filepath.Join(parent, name)
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	return folder, os.Mkdir(folder, 0o755)
}

// link makes a symbolic link and replaces an existing file.
func link(target, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(target, path)
}
