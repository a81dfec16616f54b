package install

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// moduleName is the name of the module that cells import from. Nobody can have
// a module in the domain "invalid".
const moduleName = "autoblm.invalid/cells"

// makeModule makes the module that cells import from in an empty folder.
func makeModule(ctx context.Context, dir string, t Toolchain, library Library, pins Pins) error {
	goCommand := func(arguments ...string) (string, error) { return t.run(ctx, dir, plainly(), arguments...) }
	if _, err := goCommand("mod", "init", moduleName); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "deps.go"), pins.Deps, 0o644); err != nil {
		return err
	}
	if err := requireLibrary(ctx, dir, t, library); err != nil {
		return err
	}
	// As far as packages have been fetched before, this needs no network.
	listed, err := goCommand("list", "-mod=mod", "-find", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`,
		LibraryModule+"/autoblm/...", LibraryModule+"/datasets/...")
	if err != nil {
		return err
	}
	packages := slices.DeleteFunc(strings.Fields(listed), func(path string) bool {
		return strings.Contains(path, "/internal/") || strings.HasSuffix(path, "/internal")
	})
	if err := os.WriteFile(filepath.Join(dir, "library.go"), imports("env", packages), 0o644); err != nil {
		return err
	}
	_, err = goCommand("get", ".")
	return err
}

// requireLibrary writes down which library cells import.
func requireLibrary(ctx context.Context, dir string, t Toolchain, library Library) error {
	if library.Checkout == "" {
		_, err := t.run(ctx, dir, plainly(), "get", LibraryModule+"@"+library.Version)
		return err
	}
	file := filepath.Join(dir, "go.mod")
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n", LibraryModule, strconv.Quote(library.Checkout))
	if err := f.Close(); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(library.Checkout, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}

// imports is a Go file that imports packages and does nothing.
func imports(name string, packages []string) []byte {
	var file strings.Builder
	fmt.Fprintf(&file, "package %s\n\nimport (\n", name)
	for _, path := range packages {
		fmt.Fprintf(&file, "\t_ %q\n", path)
	}
	file.WriteString(")\n")
	return []byte(file.String())
}

// importable are the packages that the module of the cells imports.
func importable(dir string) ([]string, error) {
	files, err := fs.Glob(os.DirFS(dir), "*.go") // the folder's own name is no pattern
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no Go files", dir)
	}
	var packages []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, imported := range parsed.Imports {
			path, err := strconv.Unquote(imported.Path.Value)
			if err != nil {
				return nil, err
			}
			packages = append(packages, path)
		}
	}
	return packages, nil
}
