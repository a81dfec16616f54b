package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// numbersOf returns the numeric flags and arguments of each command.
func numbersOf(t *testing.T) map[string][]*kong.Value {
	all := map[string][]*kong.Value{}
	for _, leaf := range emptyParser(t).Model.Leaves(false) {
		path := leaf.Name
		for node := leaf.Parent; node.Parent != nil; node = node.Parent {
			path = node.Name + " " + path
		}
		values := slices.Clone(leaf.Positional)
		for _, flag := range leaf.Flags {
			values = append(values, flag.Value)
		}
		for _, v := range values {
			if kindOf(v) != reflect.Invalid {
				all[path] = append(all[path], v)
			}
		}
	}
	return all
}

// kindOf returns int, uint or float64, or invalid for other types.
func kindOf(v *kong.Value) reflect.Kind {
	of := v.Target.Type()
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	switch {
	case of != reflect.TypeFor[time.Duration]() && of.Name() != of.Kind().String(): // names
	case of.Kind() == reflect.Uint64:
		return reflect.Uint
	case of.ConvertibleTo(reflect.TypeFor[float64]()) && of.Kind() == reflect.Float64:
		return reflect.Float64
	case of.ConvertibleTo(reflect.TypeFor[int]()):
		return reflect.Int
	}
	return reflect.Invalid
}

// TestNumbersHaveLimits: the tags of every whole number limit it.
func TestNumbersHaveLimits(t *testing.T) {
	count := 0
	for path, values := range numbersOf(t) {
		for _, v := range values {
			count++
			least, most := v.Tag.Has("min") || v.Tag.Has("above"), v.Tag.Has("max") || v.Tag.Has("below")
			if kindOf(v) == reflect.Int && (!least || !most &&
				v.Target.Type() != reflect.TypeFor[time.Duration]()) {
				t.Errorf("%s: --%s has no limits", path, v.Name)
			}
		}
	}
	if count < 150 {
		t.Errorf("%d numbers: the test looks at another command line", count)
	}
}

// outside reports whether a number is outside the limits of a flag.
func outside(v *kong.Value, number float64) bool {
	limit := func(tag string) float64 { x, _ := strconv.ParseFloat(v.Tag.Get(tag), 64); return x }
	return math.IsNaN(number) || math.IsInf(number, 0) || v.Tag.Has("min") && number < limit("min") ||
		v.Tag.Has("above") && number <= limit("above") ||
		v.Tag.Has("max") && number > limit("max") || v.Tag.Has("below") && number >= limit("below")
}

// TestNumbersAtTheirLimits sets every number of every command to extreme values. Values outside the
// limits are refused with name and range; others take no memory before the work starts.
func TestNumbersAtTheirLimits(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("AUTOBLM_DATA", dir)
	graph, classes := " --dataset "+smallGraph(t), " --dataset "+kinds(t, nil)
	copyFolder(t, "umls", strings.TrimPrefix(graph, " --dataset "))
	for _, line := range []string{
		"train --out model" + graph + quick,
		"train --seed 2 --out other" + graph + quick,
		"query sample --hops 1,2 --count 20 --out queries" + graph,
		"query train --dataset queries --out paths" + quick,
		"classify train --structure distmult --dim 8 --epochs 2 --runs 1 --out kind" + classes,
		"search --recipe basic --study s.db --out found" + graph + quickSearch,
	} {
		succeed(t, line)
	}
	lines := map[string]string{
		"train":            graph + quick,
		"eval":             "--model model" + graph,
		"predict":          "--model model --head e0 --relation r0" + graph,
		"ensemble":         "model other --out ensemble" + graph,
		"search":           "--study new.db --out new" + graph + quickSearch,
		"ablate":           "filter --seeds 1 --out ablated" + graph + quickSearch,
		"reproduce":        "umls --stage final --out reproduced" + quick,
		"query train":      "--dataset queries" + quick,
		"query sample":     "--hops 2 --count 5 --out more" + graph,
		"query eval":       "--dataset queries --model paths",
		"query predict":    "--model paths --anchor e0 --path r0" + graph,
		"classify train":   "--structure distmult --dim 8 --epochs 2" + classes,
		"classify predict": "--model kind --node x:6" + classes,
		"dataset info":     "umls",
		"dataset import":   "umls/train.txt --out divided",
		"model export":     "--model model --format npy --out exported",
		"model map":        "--model model --out map.html" + graph,
		"model neighbors":  "e0 --model model",
		"serve":            "--model model --addr 127.0.0.1:0" + graph,
		"cluster serve":    "--store queue --addr 127.0.0.1:0",
		"worker":           "--cluster nats://127.0.0.1:1",
		"structure count":  "",
		"structure list":   "--nonzeros 2 --k 2",
		"report":           "--study s.db --out page.html",
		"study resume":     "s.db",
	}
	numbers := numbersOf(t)
	for path := range lines {
		if numbers[path] == nil {
			t.Errorf("%s has no numbers", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(numbers)) {
		line, known := lines[path]
		if !known {
			t.Errorf("%s has numbers, and is not tried here", path)
		}
		for _, v := range numbers[path] {
			for _, text := range extremes(v) {
				tryNumber(t, path+" "+line, v, text)
			}
		}
	}
}

// tryNumber sets a number in a command, which is interrupted if the number is allowed.
func tryNumber(t *testing.T, line string, v *kong.Value, text string) {
	t.Helper()
	arguments := strings.Fields(line)
	if at := slices.Index(arguments, "--"+v.Name); at >= 0 {
		arguments = slices.Delete(arguments, at, at+2)
	}
	number, err := strconv.ParseFloat(text, 64)
	wrong := err == nil && outside(v, number)
	ctx := cancelled(t)
	if wrong {
		ctx = t.Context()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, _, stderr := invoke(ctx, append(arguments, "--"+v.Name+"="+text)...)
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 1024 {
		t.Errorf("%s --%s=%s takes %d MiB", line, v.Name, text, taken)
	}
	want := v.Name + " is " + text
	if wrong && (status != cli.Misuse || !strings.Contains(stderr, want) ||
		!strings.Contains(stderr, "it must be ")) || strings.Contains(stderr, "panic") {
		t.Errorf("%s --%s=%s: status %d, %q", line, v.Name, text, status, stderr)
	}
}

// TestInterruptedReading: an interruption without results has a plain message.
func TestInterruptedReading(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	forever := make(chan int)
	defer close(forever)
	o := &output{Stderr: io.Discard}
	_, err := read(ctx, o, func(string) (int, error) { end(); return <-forever, nil }, "")
	if got := withHint(err); got.Error() != "interrupted before there was a result to save" {
		t.Errorf("%v", got)
	}
	if err := fmt.Errorf("interrupted after epoch 3: %w", context.Canceled); withHint(err) != err {
		t.Errorf("what says more became %v", withHint(err))
	}
}

// extremes returns values to try: refused ones and the largest allowed one, except for dimensions,
// which take memory.
func extremes(v *kong.Value) (all []string) {
	switch kind := kindOf(v); {
	case v.Target.Type() == reflect.TypeFor[time.Duration]():
		return []string{"2562047h47m16s"}
	case kind == reflect.Float64:
		return []string{"NaN", "+Inf", "-Inf", "-1", "1e+308"}
	case kind == reflect.Uint:
		return []string{"18446744073709551615"}
	}
	all = []string{"9223372036854775807", "-9223372036854775808"}
	for tag, step := range map[string]int{"min": -1, "max": 1} {
		limit, err := strconv.Atoi(v.Tag.Get(tag))
		if err != nil {
			continue
		}
		all = append(all, fmt.Sprint(limit+step))
		if tag == "max" && !strings.Contains(v.Name, "dim") {
			all = append(all, fmt.Sprint(limit))
		}
	}
	return all
}
