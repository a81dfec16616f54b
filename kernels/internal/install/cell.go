package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// BuildCell builds a cell that imports all that cells may import, as the kernel
// does it with these variables: with "go get", which finds the packages in the
// workspace only when it may not ask the network. It leaves nothing behind but Go's caches.
func BuildCell(ctx context.Context, home Home, t Toolchain, variables map[string]string) error {
	dir, err := os.MkdirTemp("", "autoblm-cell-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := makeWorkspace(ctx, dir, home, t, variables); err != nil {
		return err
	}
	if _, err := t.run(ctx, dir, variables, "get"); err != nil {
		return err
	}
	_, err = t.run(ctx, dir, variables, "build", "-o", filepath.Join(dir, "cell"))
	return err
}

// prime fetches and compiles what cells of a kernel need. The variables must let
// Go use the network.
func prime(ctx context.Context, home Home, t Toolchain, variables map[string]string) error {
	dir, err := os.MkdirTemp("", "autoblm-cell-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := makeWorkspace(ctx, dir, home, t, variables); err != nil {
		return err
	}
	// In a workspace Go reads the go.mod of every module that any other asks
	// for. A proxy may refuse one that is not needed in the end, so that a
	// failure here is told only when cells do not build afterwards.
	_, graph := t.run(ctx, dir, variables, "mod", "graph")
	if _, err := t.run(ctx, dir, variables, "build", "-o", filepath.Join(dir, "cell")); err != nil {
		return errors.Join(err, graph)
	}
	return nil
}

// makeWorkspace makes the workspace of a cell as the kernel does.
func makeWorkspace(ctx context.Context, dir string, home Home, t Toolchain, variables map[string]string) error {
	packages, err := importable(home.Module())
	if err != nil {
		return err
	}
	main := append(imports("main", packages), "\nfunc main() {}\n"...)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), main, 0o644); err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{"mod", "init", "cell"},
		{"work", "init"},
		{"work", "use", home.Module(), "."},
		{"mod", "edit", fmt.Sprintf("-replace=%s=%s", moduleName, home.Module())},
	} {
		if _, err := t.run(ctx, dir, variables, arguments...); err != nil {
			return err
		}
	}
	return nil
}
