package install

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Settings say what is installed, and where.
type Settings struct {
	Home    Home
	Jupyter string // Jupyter's folder of the user's data
	Library Library
	Pins    Pins
	// Gopls says whether to install gopls, for completion, too.
	Gopls bool
	// Plugin is the absolute path of a CUDA plugin for XLA; "" leaves it to XLA
	// to find one.
	Plugin string
	// Report is told what has been done.
	Report func(step string)
}

// Install installs the kernels. Doing so again brings an installation up to date.
func Install(ctx context.Context, s Settings) error {
	t, err := FindToolchain(ctx, nil)
	if err != nil {
		return fmt.Errorf("no usable Go: %w: install it from https://go.dev/dl", err)
	}
	i := installation{Settings: s, toolchain: t}
	if i.manifest, err = previous(s.Home); err != nil {
		return err
	}
	steps := []func(context.Context) (string, error){i.tools, i.module}
	for _, v := range Variants() {
		steps = append(steps, func(ctx context.Context) (string, error) { return i.cells(ctx, v) })
	}
	for _, step := range append(steps, i.specs) {
		began := time.Now()
		done, err := step(ctx)
		if err != nil {
			return err
		}
		s.Report(fmt.Sprintf("%s (%.1f s)", done, time.Since(began).Seconds()))
	}
	return nil
}

type installation struct {
	Settings
	toolchain Toolchain
	manifest  Manifest
}

// folder makes a folder, and first of all notes down that it was made.
func (i *installation) folder(path string) error {
	if err := i.manifest.Folders.make(path); err != nil {
		return err
	}
	return i.manifest.write(i.Home)
}

// tools builds the programs.
func (i *installation) tools(ctx context.Context) (string, error) {
	for _, folder := range []string{string(i.Home), i.Home.programs(), i.Home.tools()} {
		if err := i.folder(folder); err != nil {
			return "", err
		}
	}
	for name, content := range map[string][]byte{"go.mod": i.Pins.ToolsMod, "go.sum": i.Pins.ToolsSum} {
		if err := os.WriteFile(filepath.Join(i.Home.tools(), name), content, 0o644); err != nil {
			return "", err
		}
	}
	variables := plainly()
	variables["GOBIN"] = i.Home.programs()
	var built []string
	arguments := []string{"install"}
	for _, tool := range Tools {
		if tool.Optional && !i.Gopls {
			continue
		}
		version, err := i.Pins.Version(tool)
		if err != nil {
			return "", err
		}
		arguments = append(arguments, tool.Package)
		built = append(built, tool.Name+" "+version)
	}
	if _, err := i.toolchain.run(ctx, i.Home.tools(), variables, arguments...); err != nil {
		return "", err
	}
	return "built " + strings.Join(built, ", ") + " in " + i.Home.programs(), nil
}

// module makes the module of the cells. An older one stays until the new one is whole.
func (i *installation) module(ctx context.Context) (string, error) {
	fresh := i.Home.unfinished()
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := makeModule(ctx, fresh, i.toolchain, i.Library, i.Pins); err != nil {
		return "", err
	}
	if err := os.RemoveAll(i.Home.Module()); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, i.Home.Module()); err != nil {
		return "", err
	}
	i.manifest.Library = i.Library
	if err := i.manifest.write(i.Home); err != nil {
		return "", err
	}
	return "cells import the library from " + i.Library.String(), nil
}

// cells fetches and compiles what cells of a kernel need, and sees that they build
// without a network.
func (i *installation) cells(ctx context.Context, v Variant) (string, error) {
	if v.NeedsC && !i.toolchain.HasC() {
		return fmt.Sprintf("%s: its cells need a C compiler, and there is no %s", v.Title, i.toolchain.Compiler), nil
	}
	offline := v.spec(i.Home, i.toolchain, i.Plugin).Env
	online := maps.Clone(offline)
	delete(online, "GOPROXY")
	if err := prime(ctx, i.Home, i.toolchain, online); err != nil {
		return "", fmt.Errorf("cannot prepare the kernel %s: %w", v.Title, err)
	}
	if err := BuildCell(ctx, i.Home, i.toolchain, offline); err != nil {
		return "", fmt.Errorf("cells of the kernel %s do not build without a network: %w", v.Title, err)
	}
	return v.Title + ": cells build without a network", nil
}

// specs tells Jupyter of the kernels.
func (i *installation) specs(context.Context) (string, error) {
	var written []string
	for _, v := range Variants() {
		file := v.File(i.Jupyter)
		i.manifest.Specs = append(i.manifest.Specs, file)
		if err := i.folder(filepath.Dir(file)); err != nil {
			return "", err
		}
		if err := v.spec(i.Home, i.toolchain, i.Plugin).Write(file); err != nil {
			return "", err
		}
		written = append(written, v.Name)
	}
	return "wrote the kernels " + strings.Join(written, " and ") + " into " + filepath.Join(i.Jupyter, "kernels"), nil
}
