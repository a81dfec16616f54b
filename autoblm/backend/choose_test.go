package backend

import (
	"debug/elf"
	"errors"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

// Files on the machines of the tests.
const (
	cpuFile    = "/usr/local/lib/go-xla/pjrt_c_api_cpu_plugin.so"
	cudaFile   = "/usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so"
	secondFile = "/usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda_v1_plugin.so"
	gpuFile    = "/dev/nvidia0"
)

// machine returns a finder on a machine with files. All of them are plugins for amd64.
func machine(variables map[string]string, files ...string) finder {
	content := map[string][]byte{}
	for _, file := range files {
		content[file] = probetest.Plugin()
	}
	return finder{
		machine:    probetest.Machine(variables, content),
		loadPlugin: func(string) (string, error) { return "0.104", nil },
	}
}

// broken returns a finder on a machine with plugins for another processor.
func broken(files ...string) finder {
	content := map[string][]byte{}
	for _, file := range files {
		content[file] = probetest.Library(elf.EM_AARCH64, "GetPjrtApi")
	}
	return finder{machine: probetest.Machine(nil, content)}
}

// withoutXLA returns a finder of a program that was built without XLA.
func (f finder) withoutXLA() finder {
	f.noXLA = &probe.Problem{Reason: "this program was built without XLA", Fix: "build it with cgo"}
	return f
}

func TestChooseAuto(t *testing.T) {
	hidden := map[string]string{"CUDA_VISIBLE_DEVICES": "-1"}
	for name, c := range map[string]struct {
		finder finder
		want   string
	}{
		"nothing":                {machine(nil), ""},
		"GPU and plugin":         {machine(nil, gpuFile, cudaFile), "xla:cuda"},
		"GPU and a version":      {machine(nil, gpuFile, secondFile), "xla:cuda"},
		"GPU, no plugin":         {machine(nil, gpuFile), ""},
		"GPU, plugin of the CPU": {machine(nil, gpuFile, cpuFile), ""},
		"plugin, no GPU":         {machine(nil, cudaFile), ""},
		"hidden GPU":             {machine(hidden, gpuFile, cudaFile), ""},
		"no XLA":                 {machine(nil, gpuFile, cudaFile).withoutXLA(), ""},
		"broken plugin":          {broken(gpuFile, cudaFile), ""},
	} {
		for _, requested := range []string{"", "auto"} {
			got, err := c.finder.choose(t.Context(), requested)
			if want := (Choice{c.want, "auto"}); err != nil || got != want {
				t.Errorf("%s: %v, %v, want %v", name, got, err, want)
			}
		}
	}
}

// TestChooseOrder checks the order of the argument, AUTOBLM_BACKEND and GOMLX_BACKEND.
func TestChooseOrder(t *testing.T) {
	const withOptions = "xla:cuda,tf32=false,preallocate=false"
	for name, c := range map[string]struct {
		argument, own, gomlx string
		want                 Choice
	}{
		"none":                 {"", "", "", Choice{"xla:cuda", "auto"}},
		"argument":             {"go", "xla:cpu", "xla:cuda", Choice{"go", "backend"}},
		"own variable":         {"auto", "xla:cpu", "go", Choice{"xla:cpu", "AUTOBLM_BACKEND"}},
		"GoMLX's variable":     {"", "", withOptions, Choice{withOptions, "GOMLX_BACKEND"}},
		"auto in own variable": {"", "auto", "go", Choice{"xla:cuda", "auto"}},
		"best of XLA":          {"", "", "xla", Choice{"xla", "GOMLX_BACKEND"}},
		"invalid variables":    {"go", "abacus", "abacus", Choice{"go", "backend"}},
		"absolute path":        {"xla:" + secondFile, "", "", Choice{"xla:" + secondFile, "backend"}},
		"options of go": {
			"", "go:ops_sequential", "", Choice{"go:ops_sequential", "AUTOBLM_BACKEND"},
		},
	} {
		variables := map[string]string{Variable: c.own, GoMLXVariable: c.gomlx}
		f := machine(variables, gpuFile, cudaFile, cpuFile, secondFile)
		if got, err := f.choose(t.Context(), c.argument); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func TestOnCPU(t *testing.T) {
	for want, finders := range map[string][]finder{
		CPU: {machine(nil, cpuFile), machine(nil, gpuFile, cudaFile, cpuFile)},
		Go: {
			machine(nil), machine(nil, gpuFile, cudaFile),
			machine(nil, cpuFile).withoutXLA(), broken(cpuFile),
		},
	} {
		for i, f := range finders {
			if got, fix := f.onCPU(t.Context()); got != want || (fix == "") != (want == CPU) {
				t.Errorf("%d: %s with the fix %q, want %s", i, got, fix, want)
			}
		}
	}
}

// TestChooseFails checks that a requested backend is never replaced. The error says who
// requested it, why it cannot be used, and the fix.
func TestChooseFails(t *testing.T) {
	notPlugin := machine(nil)
	notPlugin.machine = probetest.Machine(nil, map[string][]byte{
		"/opt/cuda.so": probetest.Library(elf.EM_X86_64, "main"), gpuFile: nil,
	})
	noXLA := machine(nil, gpuFile, cudaFile, secondFile).withoutXLA()
	hidden := machine(map[string]string{"CUDA_VISIBLE_DEVICES": ""}, gpuFile, cudaFile)
	folders := machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/opt/p"}, cpuFile)
	for name, c := range map[string]struct {
		finder  finder
		backend string
		parts   []string
	}{
		"unknown":       {machine(nil), "abacus", []string{"unknown backend", "use auto, go"}},
		"no XLA":        {noXLA, "xla:cuda", []string{"built without XLA", "cgo"}},
		"no XLA, path":  {noXLA, "xla:" + secondFile, []string{"built without XLA", "cgo"}},
		"relative path": {machine(nil), "xla:plugin/cuda.so", []string{"is relative", "use xla:/"}},
		"no file": {
			machine(nil), "xla:/nowhere/cuda.so", []string{"/nowhere/cuda.so does not exist", "install"},
		},
		"not a plugin": {
			notPlugin, "xla:/opt/cuda.so",
			[]string{"/opt/cuda.so is not a PJRT plugin", "absolute path of a PJRT plugin"},
		},
		"CPU, no plugin": {
			machine(nil, gpuFile, cudaFile), "xla:cpu",
			[]string{"no PJRT plugin cpu", "autoblm backend install cpu"},
		},
		"GPU, no plugin": {
			machine(nil, gpuFile), "xla:cuda",
			[]string{"no PJRT plugin cuda", "autoblm backend install cuda"},
		},
		"plugin, no GPU": {
			machine(nil, cudaFile), "xla:cuda", []string{"no NVIDIA GPU", "nvidia-smi"},
		},
		"no GPU, no plugin": {machine(nil), "xla:cuda", []string{"no NVIDIA GPU", "nvidia-smi"}},
		"hidden GPU":        {hidden, "xla:cuda", []string{"CUDA_VISIBLE_DEVICES", "unset"}},
		"broken plugin": {
			broken(gpuFile, cudaFile), "xla:cuda", []string{cudaFile + " is for another processor"},
		},
		"other plugins":     {machine(nil, cpuFile), "xla:tpu", []string{"no PJRT plugin tpu", "(cpu)"}},
		"no plugins":        {machine(nil), "xla:tpu", []string{"(none)"}},
		"best of none":      {machine(nil), "xla", []string{"no PJRT plugin cpu"}},
		"folders":           {folders, "xla:cpu", []string{"PJRT_PLUGIN_LIBRARY_PATH"}},
		"other name of XLA": {machine(nil), "stablehlo:cpu", []string{"no PJRT plugin cpu"}},
	} {
		check := func(from string, err error) {
			t.Helper()
			if err == nil {
				t.Errorf("%s by %s: no error", name, from)
				return
			}
			checkText(t, name, err.Error(), append(c.parts, from+": ", c.backend))
		}
		_, err := c.finder.choose(t.Context(), c.backend)
		check("backend", err)
		for _, variable := range []string{Variable, GoMLXVariable} {
			f := c.finder
			env := f.machine.Env
			f.machine.Env = func(name string) (string, bool) {
				if name == variable {
					return c.backend, true
				}
				return env(name)
			}
			_, err := f.choose(t.Context(), "")
			check(variable, err)
		}
	}
}

func TestFind(t *testing.T) {
	const versioned = "/usr/local/lib/go-xla/pjrt_c_api_cpu_v0.114.0_plugin.so"
	const unnamed = "/usr/local/lib/x_p.so"
	all := machine(nil, gpuFile, cudaFile, cpuFile, secondFile)
	damaged := machine(nil)
	damaged.machine = probetest.Machine(nil, map[string][]byte{
		gpuFile: nil, cudaFile: []byte("cut"), secondFile: probetest.Plugin(),
	})
	for _, c := range []struct {
		finder     finder
		name, want string
	}{
		{all, "cuda", cudaFile},
		{all, "cpu", cpuFile},
		{all, "", cudaFile},
		{machine(nil, versioned, cpuFile), "cpu_v0.114.0", versioned},
		{machine(nil, versioned), "cpu", versioned},
		{machine(nil, secondFile), secondFile, secondFile}, // a path needs no GPU
		{machine(nil, unnamed), unnamed, unnamed},
		{machine(nil, cpuFile, cudaFile), "", cpuFile}, // no GPU
		{damaged, "cuda", secondFile},
	} {
		got, problem := c.finder.find(t.Context(), c.name)
		if problem != nil || got.Path != c.want {
			t.Errorf("%q is %q, %v, want %q", c.name, got.Path, problem, c.want)
		}
	}
}

// listByName returns the list of backends by name and checks its consistency.
func listByName(t *testing.T, f finder) map[string]Backend {
	t.Helper()
	backends := map[string]Backend{}
	for _, b := range f.list(t.Context()) {
		if b.Usable != (b.Reason == "") || b.Usable != (b.Fix == "") {
			t.Errorf("%s: usable %v, reason %q, fix %q", b.Name, b.Usable, b.Reason, b.Fix)
		}
		if _, duplicate := backends[b.Name]; duplicate {
			t.Errorf("two backends are named %s", b.Name)
		}
		backends[b.Name] = b
	}
	return backends
}

func TestList(t *testing.T) {
	full := machine(nil, gpuFile, cudaFile, cpuFile, secondFile)
	backends := listByName(t, full)
	if len(backends) != 4 {
		t.Errorf("backends: %v", backends)
	}
	for name, plugin := range map[string]string{
		"go": "", "xla:cpu": cpuFile, "xla:cuda": cudaFile, "xla:" + secondFile: secondFile,
	} {
		b, ok := backends[name]
		if !ok || !b.Usable || b.Plugin != plugin || (b.PJRT == "0.104") != (plugin != "") ||
			(len(b.GPUs) == 1) != probe.IsCUDA(plugin) {
			t.Errorf("%s: %+v", name, b)
		}
	}

	full.loadPlugin = func(path string) (string, error) { return "", errors.New("wrong GLIBC") }
	b := listByName(t, full)["xla:cpu"]
	if b.Usable || !strings.Contains(b.Reason, "wrong GLIBC") || b.Plugin != cpuFile {
		t.Errorf("a plugin that fails to load: %+v", b)
	}

	for name, f := range map[string]finder{
		"no GPU": machine(nil, cudaFile, secondFile),
		"no XLA": machine(nil, gpuFile, cudaFile, secondFile).withoutXLA(),
	} {
		f.loadPlugin = func(path string) (string, error) {
			t.Errorf("%s: %s was loaded", name, path)
			return "", nil
		}
		backends := listByName(t, f)
		if b := backends["xla:cuda"]; b.Usable || b.Plugin != cudaFile {
			t.Errorf("%s: %+v", name, b)
		}
		if b := backends["xla:"+secondFile]; b.Usable {
			t.Errorf("%s: %+v", name, b)
		}
		if len(backends) != 4 || !backends["go"].Usable {
			t.Errorf("%s: %v", name, backends)
		}
	}
}
