//go:build cgo && !noxla && linux

package gomlx

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/gomlx/go-xla/pjrt"
)

// recorder builds testdata/recorder.c as a plugin with the name of the CUDA plugin.
func recorder(t *testing.T) (plugin string) {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/gomlx/go-xla").Output()
	if err != nil {
		t.Skip("the go command does not find go-xla, which has the PJRT header")
	}
	plugin = filepath.Join(t.TempDir(), "pjrt_c_api_cuda_plugin.so")
	include := "-I" + filepath.Join(strings.TrimSpace(string(module)), "pjrt")
	compiler := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-shared", "-fPIC", "-w", include,
		"-o", plugin, "testdata/recorder.c")
	if output, err := compiler.CombinedOutput(); err != nil {
		t.Skipf("no C compiler that builds a plugin: %v\n%s", err, output)
	}
	return plugin
}

// recorded returns the programs that a call sends to XLA. The call must fail only because the
// recorder compiles nothing.
func recorded(t *testing.T, call func() error) []string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("RECORDER_DIR", folder)
	if err := call(); err == nil || !strings.Contains(err.Error(), "recorded, not compiled") {
		t.Fatalf("build the program for XLA: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	var programs []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		programs = append(programs, string(text))
	}
	return programs
}

// TestProgramsForXLA checks the text of programs for XLA: steps run in one loop that uses only
// its state, and products have the requested precision.
func TestProgramsForXLA(t *testing.T) {
	plugin := recorder(t)
	g := enginetest.Graph()
	d := completion.Data(g)
	for name, c := range map[string]struct {
		options   string
		memory    int64
		precision kge.Precision
		products  string // precision attribute of the program's products
	}{
		"TF32":           {"", 1 << 30, kge.Float32, "DEFAULT"},
		"no TF32":        {",tf32=false", 1 << 30, kge.Float32, "HIGHEST"},
		"bfloat16":       {"", 1 << 30, kge.Bfloat16, "DEFAULT"},
		"steps in parts": {"", 90 << 10, kge.Float32, "DEFAULT"},
	} {
		t.Run(name, func(t *testing.T) {
			engine, err := New(Settings{Backend: "xla:" + plugin + c.options, Memory: c.memory})
			require.NoError(t, err)
			defer engine.Close()
			for name, recipe := range enginetest.Recipes() {
				for _, optimizer := range []kge.Optimizer{kge.Adagrad, kge.Adam} {
					set := kge.DefaultSettings()
					set.Dim, set.Batch, set.Optimizer, set.Precision = 16, 32, optimizer, c.precision
					recipe.Set(&set)
					member := kge.DefaultMember(structure.MustParse("complex"))
					member.Weights = recipe.Weights
					members := []kge.Member{member, member}
					if !isExplicit(d, set, members) { // its steps have no loop
						continue
					}
					programs := recorded(t, func() error {
						_, err := engine.NewPopulation(d, set, members)
						return err
					})
					if len(programs) != 1 {
						t.Fatalf("%s, %v: %d programs, want one", name, optimizer, len(programs))
					}
					checkLoop(t, programs[0])
					checkProducts(t, programs[0], c.products, c.precision)
				}
			}
			p := kge.Initialize(d, kge.Settings{Dim: 16, InitScale: 1},
				kge.DefaultMember(structure.MustParse("complex")))
			ranker, err := engine.NewRanker([]kge.Parameters{p, p}, c.precision)
			require.NoError(t, err)
			programs := recorded(t, func() error {
				_, err := ranker.Rank(t.Context(), g.Test, g.Known())
				return err
			})
			checkProducts(t, programs[0], c.products, kge.Float32) // always used for ranks
		})
	}
}

// TestNoLeaks checks that the plugin has as many programs as the engine counts, no more of them
// for other structures, and that a closed engine leaves no programs and no buffers.
func TestNoLeaks(t *testing.T) {
	t.Run("one device", func(t *testing.T) { checkLeaks(t, xlatest.Backend(t)) })
	t.Run("shards", func(t *testing.T) { checkLeaks(t, xlatest.Devices(t, 2)+",shard") })
}

func checkLeaks(t *testing.T, name string) {
	t.Helper()
	runtime.GC() // frees garbage of other tests
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	programs, buffers := pjrt.LoadedExecutablesAlive(), pjrt.BuffersAlive()
	engine, err := New(Settings{Backend: name})
	require.NoError(t, err)
	g, set := enginetest.Graph(), kge.DefaultSettings()
	set.Dim, set.Epochs, set.Batch, set.ValidateEvery = 8, 2, 16, 1
	for i, named := range structure.Baselines() {
		_, err := kge.Train(t.Context(), engine,
			kge.Job{Data: completion.Data(g), Settings: set,
				Members: []kge.Member{kge.DefaultMember(named.Structure)}})
		require.NoError(t, err)
		if got := pjrt.LoadedExecutablesAlive() - programs; got != 2 ||
			got != engine.compilations.Load() {
			t.Errorf("%d structures: the plugin has %d programs and the engine counts %d, want 2",
				i+1, got, engine.compilations.Load())
		}
		if left := pjrt.BuffersAlive() - buffers; left != 0 {
			t.Errorf("%d structures leave %d buffers", i+1, left)
		}
	}
	engine.Close()
	if left := pjrt.LoadedExecutablesAlive() - programs; left != 0 {
		t.Errorf("a closed engine leaves %d programs", left)
	}
}

var value = regexp.MustCompile(`%\w+`)

// checkLoop checks that the body of a program's loop uses no values from outside.
func checkLoop(t *testing.T, program string) {
	t.Helper()
	if n := strings.Count(program, `"stablehlo.while"`); n != 1 {
		t.Fatalf("%d loops, want one", n)
	}
	_, body, _ := strings.Cut(program, "^body")
	body, _, closed := strings.Cut(body, "\n    }) :")
	if !closed {
		t.Fatal("the end of the loop's body was not found")
	}
	defined := map[string]bool{}
	for line := range strings.Lines(body) {
		before, _, assigns := strings.Cut(line, " = ")
		for _, name := range value.FindAllString(before, -1) {
			defined[name] = defined[name] || assigns || strings.Contains(line, name+": tensor")
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(value.FindAllString(body, -1)))) {
		if !defined[name] {
			t.Errorf("the loop's body uses %s from outside", name)
		}
	}
}

func checkProducts(t *testing.T, program, want string, precision kge.Precision) {
	t.Helper()
	products, narrow := 0, 0
	for _, text := range strings.Split(program, `"stablehlo.dot_general"`)[1:] {
		products++
		text, _, _ = strings.Cut(text, ") -> ")
		if !strings.Contains(text, "precision "+want) {
			t.Errorf("a product does not have precision %s: %s", want, text)
		}
		if strings.Contains(text, "bf16") {
			narrow++
		}
	}
	if products < 2 || (precision == kge.Bfloat16) != (narrow > 0) {
		t.Errorf("%d of %d products are in bfloat16", narrow, products)
	}
}
