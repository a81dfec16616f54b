package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// moduleName is the name of the module that cells import from. The top-level domain
// "invalid" is reserved, so no published module has this name.
const moduleName = "autoblm.invalid/cells"

// makeModule makes the module that cells import from in an empty folder.
func makeModule(ctx context.Context, dir string, t Toolchain, library Library, pins Pins) error {
	goCommand := func(arguments ...string) (string, error) {
		return t.run(ctx, dir, isolated(), arguments...)
	}
	if _, err := goCommand("mod", "init", moduleName); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "deps.go"), pins.Deps, 0o644); err != nil {
		return err
	}
	if err := requireLibrary(ctx, dir, t, library); err != nil {
		return err
	}
	listed, err := goCommand("list", "-mod=mod", "-find",
		"-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`,
		LibraryModule+"/autoblm/...", LibraryModule+"/datasets/...")
	if err != nil {
		return err
	}
	packages := slices.DeleteFunc(strings.Fields(listed), func(path string) bool {
		return strings.Contains(path, "/internal/") || strings.HasSuffix(path, "/internal")
	})
	imports := importFile("env", packages)
	if err := os.WriteFile(filepath.Join(dir, "library.go"), imports, 0o644); err != nil {
		return err
	}
	_, err = goCommand("get", ".")
	return err
}

// requireLibrary makes the module in a folder require the library.
func requireLibrary(ctx context.Context, dir string, t Toolchain, library Library) error {
	if library.Checkout == "" {
		_, err := t.run(ctx, dir, isolated(), "get", LibraryModule+"@"+library.Version)
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "go.mod"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n",
		LibraryModule, strconv.Quote(library.Checkout))
	if err := f.Close(); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(library.Checkout, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}

// importFile returns a Go file that imports packages for their side effects.
func importFile(name string, packages []string) []byte {
	var file strings.Builder
	fmt.Fprintf(&file, "package %s\n\nimport (\n", name)
	for _, path := range packages {
		fmt.Fprintf(&file, "\t_ %q\n", path)
	}
	file.WriteString(")\n")
	return []byte(file.String())
}
