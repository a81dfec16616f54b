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

// Settings configures an installation.
type Settings struct {
	Folders
	Pins Pins
	// Gopls also installs gopls, for completion.
	Gopls bool
	// Plugin is the absolute path of a CUDA plugin of XLA; with "" XLA searches one.
	Plugin string
	// Report receives a line for each finished step.
	Report func(step string)
}

// Install installs the kernels or updates an installation.
func Install(ctx context.Context, s Settings) error {
	t, err := FindToolchain(ctx)
	if err != nil {
		return err
	}
	library, err := FindLibrary(ctx, t, ".")
	if err != nil {
		return err
	}
	i := installation{s, t, library}
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
	library   Library
}

// tools builds the programs.
func (i installation) tools(ctx context.Context) (string, error) {
	if err := os.MkdirAll(i.Home.tools(), 0o755); err != nil {
		return "", err
	}
	for name, content := range map[string][]byte{
		"go.mod": i.Pins.ToolsMod, "go.sum": i.Pins.ToolsSum,
	} {
		file := filepath.Join(i.Home.tools(), name)
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return "", err
		}
	}
	variables := isolated()
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

// module makes the module of the cells. An older module stays until the new one is complete.
func (i installation) module(ctx context.Context) (string, error) {
	fresh := i.Home.Module() + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := makeModule(ctx, fresh, i.toolchain, i.library, i.Pins); err != nil {
		return "", err
	}
	if err := os.RemoveAll(i.Home.Module()); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, i.Home.Module()); err != nil {
		return "", err
	}
	return "cells import the library from " + i.library.String(), nil
}

// cells fetches and compiles the packages for cells of a kernel, and tests that a cell
// runs without a network.
func (i installation) cells(ctx context.Context, v Variant) (string, error) {
	if v.NeedsC && !i.toolchain.HasC() {
		return fmt.Sprintf("%s: skipped, because the C compiler %s is missing",
			v.Title, i.toolchain.Compiler), nil
	}
	offline := v.spec(i.Home, i.toolchain, i.Plugin).Env
	online := maps.Clone(offline)
	delete(online, "GOPROXY")
	if err := prime(ctx, i.Home, i.toolchain, online); err != nil {
		return "", fmt.Errorf("prepare the kernel %s: %w", v.Title, err)
	}
	if err := TestCell(ctx, i.Home, i.toolchain, offline); err != nil {
		return "", fmt.Errorf("test the kernel %s: %w", v.Title, err)
	}
	return v.Title + ": cells run without a network", nil
}

// specs writes the kernel specs into Jupyter's folder.
func (i installation) specs(context.Context) (string, error) {
	var written []string
	for _, v := range Variants() {
		file := v.File(i.Jupyter)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := v.spec(i.Home, i.toolchain, i.Plugin).Write(file); err != nil {
			return "", err
		}
		written = append(written, v.Name)
	}
	return "wrote the kernels " + strings.Join(written, " and ") + " to " +
		filepath.Join(i.Jupyter, "kernels"), nil
}
