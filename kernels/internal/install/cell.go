package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// TestCell builds and runs a cell that imports all packages that cells may import. It
// uses the variables of the kernel, and "go get" as the kernel does. TestCell leaves
// nothing behind but entries in Go's caches.
func TestCell(ctx context.Context, home Home, t Toolchain, variables map[string]string) error {
	dir, err := makeWorkspace(ctx, home, t, variables)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := t.run(ctx, dir, variables, "get"); err != nil {
		return fmt.Errorf("cells do not build without a network: %w", err)
	}
	program := filepath.Join(dir, "cell")
	if _, err := t.run(ctx, dir, variables, "build", "-o", program); err != nil {
		return fmt.Errorf("cells do not build without a network: %w", err)
	}
	if _, err := output(exec.CommandContext(ctx, program)); err != nil {
		return fmt.Errorf("programs do not run in %s: %w; "+
			"set TMPDIR to a folder on a file system without noexec", os.TempDir(), err)
	}
	return nil
}

// prime fetches and compiles all packages that cells may import. The variables must allow
// Go to use the network.
func prime(ctx context.Context, home Home, t Toolchain, variables map[string]string) error {
	dir, err := makeWorkspace(ctx, home, t, variables)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// In a workspace Go reads the go.mod of each module in the graph. A proxy may refuse
	// one that no build needs, so the error matters only when the build fails too.
	_, graph := t.run(ctx, dir, variables, "mod", "graph")
	if _, err := t.run(ctx, dir, variables, "build", "-o", os.DevNull); err != nil {
		return errors.Join(err, graph)
	}
	return nil
}

// makeWorkspace makes the temporary workspace of a cell and returns its folder.
func makeWorkspace(
	ctx context.Context, home Home, t Toolchain, variables map[string]string,
) (dir string, err error) {
	packages, err := t.run(ctx, home.Module(), isolated(), "list", "-f", `{{join .Imports "\n"}}`)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "autoblm-cell-"); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	program := append(importFile("main", strings.Fields(packages)), "\nfunc main() {}\n"...)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644); err != nil {
		return "", err
	}
	for _, arguments := range [][]string{
		{"mod", "init", "cell"},
		{"work", "init"},
		{"work", "use", home.Module(), "."},
		{"mod", "edit", fmt.Sprintf("-replace=%s=%s", moduleName, home.Module())},
	} {
		if _, err := t.run(ctx, dir, variables, arguments...); err != nil {
			return "", err
		}
	}
	return dir, nil
}
