package autoblm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestErrorsNameNoFlags checks that errors of the library name no flags, because the reader may use it
// from Go. The command adds them (cmd/autoblm/hints.go).
func TestErrorsNameNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[ ("])--[a-z]`)
	makers := map[string]bool{"errors.New": true, "fmt.Errorf": true, "l.lacking": true}
	checked := 0
	check := func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == "cmd" || path == "bench"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			function, is := call.Fun.(*ast.SelectorExpr)
			if !is {
				return true
			}
			if of, is := function.X.(*ast.Ident); !is || !makers[of.Name+"."+function.Sel.Name] {
				return true
			}
			checked++
			ast.Inspect(call, func(n ast.Node) bool {
				if text, is := n.(*ast.BasicLit); is && flag.MatchString(text.Value) {
					t.Errorf("%v: an error names a flag: %s", files.Position(text.Pos()), text.Value)
				}
				return true
			})
			return true
		})
		return nil
	}
	for _, dir := range []string{".", "../datasets"} {
		if err := filepath.WalkDir(dir, check); err != nil {
			t.Fatal(err)
		}
	}
	if checked < 500 {
		t.Errorf("%d errors checked: the test is wrong", checked)
	}
}
