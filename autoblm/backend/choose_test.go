package backend

import (
	"debug/elf"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
)

// What may lie on the machines of the tests.
const (
	cpuFile  = "/usr/local/lib/go-xla/pjrt_c_api_cpu_plugin.so"
	cudaFile = "/usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so"
	jaxFile  = "/usr/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	gpuFile  = "/dev/nvidia0"
)

// machine has the given files; those in folders of plugins look like plugins.
func machine(variables map[string]string, files ...string) finder {
	content := map[string][]byte{}
	for _, file := range files {
		content[file] = probetest.Plugin()
	}
	return finder{machine: probetest.Machine(variables, content), loadPlugin: func(string) (string, error) { return "0.104", nil }}
}

// withoutXLA is the same machine for a program built without XLA.
func (f finder) withoutXLA() finder {
	f.noXLA = &probe.Problem{Reason: "this program was built without XLA", Fix: "build it with cgo"}
	return f
}

func TestAuto(t *testing.T) {
	for name, c := range map[string]struct {
		finder finder
		want   string
	}{
		"nothing":                 {machine(nil), ""},
		"GPU and plugin":          {machine(nil, gpuFile, cudaFile), "xla:cuda"},
		"GPU and Jax's plugin":    {machine(nil, gpuFile, jaxFile), "xla:cuda"},
		"GPU without plugin":      {machine(nil, gpuFile), ""},
		"GPU and CPU's plugin":    {machine(nil, gpuFile, cpuFile), ""},
		"plugin without GPU":      {machine(nil, cudaFile), ""},
		"GPU hidden":              {machine(map[string]string{"CUDA_VISIBLE_DEVICES": "-1"}, gpuFile, cudaFile), ""},
		"no XLA":                  {machine(nil, gpuFile, cudaFile).withoutXLA(), ""},
		"the plugin is no plugin": {broken(gpuFile, cudaFile), ""},
	} {
		for _, asked := range []string{"", "auto"} {
			got, err := c.finder.choose(t.Context(), asked)
			if want := (Choice{c.want, "auto"}); err != nil || got != want {
				t.Errorf("%s: %v, %v, want %v", name, got, err, want)
			}
		}
	}
}

// broken has plugins that were built for another processor.
func broken(files ...string) finder {
	content := map[string][]byte{}
	for _, file := range files {
		content[file] = probetest.Library(elf.EM_AARCH64, "GetPjrtApi")
	}
	return finder{machine: probetest.Machine(nil, content)}
}

// TestWhoAsks: the caller, AUTOBLM_BACKEND, GOMLX_BACKEND, in that order.
func TestWhoAsks(t *testing.T) {
	for name, c := range map[string]struct {
		flag, own, gomlx string
		want             Choice
	}{
		"nobody":               {"", "", "", Choice{"xla:cuda", "auto"}},
		"flag":                 {"go", "xla:cpu", "xla:cuda", Choice{"go", "backend"}},
		"own variable":         {"auto", "xla:cpu", "go", Choice{"xla:cpu", "AUTOBLM_BACKEND"}},
		"GoMLX's variable":     {"", "", "xla:cuda,tf32=false,preallocate=false", Choice{"xla:cuda,tf32=false,preallocate=false", "GOMLX_BACKEND"}},
		"auto by variable":     {"", "auto", "go", Choice{"xla:cuda", "auto"}},
		"GoMLX's best":         {"", "", "xla", Choice{"xla", "GOMLX_BACKEND"}},
		"flag over a mistake":  {"go", "abacus", "abacus", Choice{"go", "backend"}},
		"by an absolute path":  {"xla:" + jaxFile, "", "", Choice{"xla:" + jaxFile, "backend"}},
		"options of the other": {"", "go:ops_sequential", "", Choice{"go:ops_sequential", "AUTOBLM_BACKEND"}},
	} {
		f := machine(map[string]string{Variable: c.own, GoMLXVariable: c.gomlx}, gpuFile, cudaFile, cpuFile, jaxFile)
		if got, err := f.choose(t.Context(), c.flag); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

// TestOnCPU: GoMLX runs on XLA where its plugin for the CPU can be loaded.
func TestOnCPU(t *testing.T) {
	for want, finders := range map[string][]finder{
		CPU: {machine(nil, cpuFile), machine(nil, gpuFile, cudaFile, cpuFile)},
		Go:  {machine(nil), machine(nil, gpuFile, cudaFile), machine(nil, cpuFile).withoutXLA(), broken(cpuFile)},
	} {
		for i, f := range finders {
			if got := f.onCPU(t.Context()); got != want {
				t.Errorf("%d: %s, want %s", i, got, want)
			}
		}
	}
}

// TestAskedForInVain: what cannot be used is an error that says who asked for it,
// why not, and what helps; never something else.
func TestAskedForInVain(t *testing.T) {
	notPlugin := machine(nil)
	notPlugin.machine = probetest.Machine(nil, map[string][]byte{"/opt/cuda.so": probetest.Library(elf.EM_X86_64, "main"), gpuFile: nil})
	for name, c := range map[string]struct {
		finder finder
		asked  string
		says   []string
	}{
		"unknown":                {machine(nil), "abacus", []string{"unknown backend", "use auto, go"}},
		"an option":              {machine(nil, cpuFile), "xla:cpu,tf23", []string{"unknown option", "tf32"}},
		"no XLA":                 {machine(nil, gpuFile, cudaFile).withoutXLA(), "xla:cuda", []string{"built without XLA", "cgo"}},
		"no XLA, a path":         {machine(nil, jaxFile).withoutXLA(), "xla:" + jaxFile, []string{"built without XLA", "cgo"}},
		"relative path":          {machine(nil), "xla:plugin/cuda.so", []string{"is relative", "use xla:/"}},
		"no file":                {machine(nil), "xla:/nowhere/cuda.so", []string{"/nowhere/cuda.so does not exist", "install"}},
		"no plugin":              {notPlugin, "xla:/opt/cuda.so", []string{"/opt/cuda.so is not a PJRT plugin", "absolute path of a PJRT plugin"}},
		"CPU's plugin missing":   {machine(nil, gpuFile, cudaFile), "xla:cpu", []string{"no PJRT plugin cpu", "autoblm backend install cpu"}},
		"GPU without plugin":     {machine(nil, gpuFile), "xla:cuda", []string{"no PJRT plugin cuda", "autoblm backend install cuda"}},
		"plugin without GPU":     {machine(nil, cudaFile), "xla:cuda", []string{"no NVIDIA GPU", "nvidia-smi"}},
		"neither":                {machine(nil), "xla:cuda", []string{"no NVIDIA GPU", "nvidia-smi"}},
		"GPU hidden":             {machine(map[string]string{"CUDA_VISIBLE_DEVICES": ""}, gpuFile, cudaFile), "xla:cuda", []string{"CUDA_VISIBLE_DEVICES", "unset"}},
		"broken plugin":          {broken(gpuFile, cudaFile), "xla:cuda", []string{cudaFile + " is for another processor"}},
		"another plugin":         {machine(nil, cpuFile), "xla:tpu", []string{"no PJRT plugin tpu", "(cpu)"}},
		"another plugin, none":   {machine(nil), "xla:tpu", []string{"(none)"}},
		"best of none":           {machine(nil), "xla", []string{"no PJRT plugin cpu"}},
		"folders by a variable":  {machine(map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "/opt/p"}, cpuFile), "xla:cpu", []string{"PJRT_PLUGIN_LIBRARY_PATH"}},
		"stablehlo is XLA as is": {machine(nil), "stablehlo:cpu", []string{"no PJRT plugin cpu"}},
	} {
		check := func(from string, err error) {
			t.Helper()
			if err == nil {
				t.Errorf("%s by %s: no error", name, from)
				return
			}
			for _, says := range append(c.says, from+": ", c.asked) {
				if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %q, which should say %q in one line", name, err, says)
				}
			}
		}
		_, err := c.finder.choose(t.Context(), c.asked)
		check("backend", err)
		for _, variable := range []string{Variable, GoMLXVariable} {
			f := c.finder
			env := f.machine.Env
			f.machine.Env = func(name string) (string, bool) {
				if name == variable {
					return c.asked, true
				}
				return env(name)
			}
			_, err := f.choose(t.Context(), "")
			check(variable, err)
		}
	}
}

// TestFoundPlugin: which file a name stands for.
func TestFoundPlugin(t *testing.T) {
	versioned := "/usr/local/lib/go-xla/pjrt_c_api_cpu_v0.114.0_plugin.so"
	all := []string{gpuFile, cudaFile, cpuFile, jaxFile}
	for asked, c := range map[string]struct {
		finder finder
		want   string
	}{
		"cuda":                  {machine(nil, all...), cudaFile},
		"cpu":                   {machine(nil, all...), cpuFile},
		"":                      {machine(nil, all...), cudaFile},
		"cpu_v0.114.0":          {machine(nil, versioned, cpuFile), versioned},
		jaxFile:                 {machine(nil, jaxFile), jaxFile}, // without a GPU, too
		"/usr/local/lib/x_p.so": {machine(nil, "/usr/local/lib/x_p.so"), "/usr/local/lib/x_p.so"},
	} {
		if got, problem := c.finder.find(t.Context(), asked); problem != nil || got.Path != c.want {
			t.Errorf("%q is %q, %v, want %q", asked, got.Path, problem, c.want)
		}
	}
	if got, problem := machine(nil, versioned).find(t.Context(), "cpu"); problem != nil || got.Path != versioned {
		t.Errorf("a plugin with a version in its name: %q, %v", got.Path, problem)
	}
	if got, problem := machine(nil, cpuFile, cudaFile).find(t.Context(), ""); problem != nil || got.Path != cpuFile {
		t.Errorf("the best without a GPU: %q, %v", got.Path, problem)
	}
	first := machine(nil, gpuFile)
	files := map[string][]byte{gpuFile: nil, cudaFile: []byte("cut"), jaxFile: probetest.Plugin()}
	first.machine = probetest.Machine(nil, files)
	if got, problem := first.find(t.Context(), "cuda"); problem != nil || got.Path != jaxFile {
		t.Errorf("with a broken plugin before: %q, %v", got.Path, problem)
	}
}

func TestList(t *testing.T) {
	byName := func(f finder) map[string]Backend {
		rows := map[string]Backend{}
		for _, b := range f.list(t.Context()) {
			if b.Usable != (b.Reason == "") || b.Usable != (b.Fix == "") {
				t.Errorf("%s: usable %v, why %q, mend %q", b.Name, b.Usable, b.Reason, b.Fix)
			}
			rows[b.Name] = b
		}
		if len(rows) != len(f.list(t.Context())) {
			t.Error("two rows have one name")
		}
		return rows
	}
	full := machine(nil, gpuFile, cudaFile, cpuFile, jaxFile)
	rows := byName(full)
	if len(rows) != 4 {
		t.Errorf("rows: %v", rows)
	}
	for name, plugin := range map[string]string{"go": "", "xla:cpu": cpuFile, "xla:cuda": cudaFile, "xla:" + jaxFile: jaxFile} {
		b, ok := rows[name]
		if !ok || !b.Usable || b.Plugin != plugin || (b.PJRT == "0.104") != (plugin != "") || (b.Note != "") != (plugin == jaxFile) || (len(b.GPUs) == 1) != probe.IsCUDA(plugin) {
			t.Errorf("%s: %+v", name, b)
		}
	}

	full.loadPlugin = func(path string) (string, error) { return "", errors.New("wrong GLIBC") }
	if b := byName(full)["xla:cpu"]; b.Usable || !strings.Contains(b.Reason, "wrong GLIBC") || b.Plugin != cpuFile {
		t.Errorf("a plugin that does not load: %+v", b)
	}

	for name, f := range map[string]finder{"no GPU": machine(nil, cudaFile, jaxFile), "no XLA": machine(nil, gpuFile, cudaFile, jaxFile).withoutXLA()} {
		f.loadPlugin = func(path string) (string, error) {
			t.Errorf("%s: %s was loaded", name, path)
			return "", nil
		}
		rows := byName(f)
		if b := rows["xla:cuda"]; b.Usable || b.Plugin != cudaFile {
			t.Errorf("%s: %+v", name, b)
		}
		if b := rows["xla:"+jaxFile]; b.Usable {
			t.Errorf("%s: %+v", name, b)
		}
		if len(rows) != 4 || !rows["go"].Usable {
			t.Errorf("%s: %v", name, maps.Collect(maps.All(rows)))
		}
	}
}
