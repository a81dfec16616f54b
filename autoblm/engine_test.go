package autoblm_test

import (
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestWhoComputes: what is asked for by name, in the call or in a variable, is
// used, whichever machine this is.
func TestWhoComputes(t *testing.T) {
	for name, c := range map[string]struct {
		compute           autoblm.Compute
		own, gomlx        string
		engine, onBackend string
	}{
		"a backend":                     {autoblm.Compute{Backend: "go"}, "", "", "gomlx", "go"},
		"own variable":                  {autoblm.Compute{}, "go", "", "gomlx", "go"},
		"GoMLX's variable":              {autoblm.Compute{Backend: "auto"}, "", "go:ops_sequential", "gomlx", "go:ops_sequential"},
		"own variable before GoMLX's":   {autoblm.Compute{}, "go", "xla:/nowhere.so", "gomlx", "go"},
		"the call before the variables": {autoblm.Compute{Engine: "gomlx", Backend: "go"}, "abacus", "abacus", "gomlx", "go"},
		"cpu looks at no variable":      {autoblm.Compute{Engine: "cpu"}, "xla:/nowhere.so", "abacus", "cpu", ""},
	} {
		t.Setenv("AUTOBLM_BACKEND", c.own)
		t.Setenv("GOMLX_BACKEND", c.gomlx)
		engine, err := c.compute.Open()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if engine.Name() != c.engine || c.onBackend != "" && engine.Backend(kge.Float32) != c.onBackend {
			t.Errorf("%s: %s on %s, want %s on %s", name, engine.Name(), engine.Backend(kge.Float32), c.engine, c.onBackend)
		}
		engine.Close()
	}
}

// TestEngineForTraining checks that encoders and neural forms choose gomlx unless an engine is named,
// and that new labels of an encoder's model do not.
func TestEngineForTraining(t *testing.T) {
	encoded := kge.Settings{Encoding: kge.Encoding{Encoder: kge.RGCN}}
	convE := form.DefaultConvE.Form()
	for engine, want := range map[string]string{"": "gomlx", "auto": "gomlx", "cpu": "cpu"} {
		c := autoblm.Compute{Engine: engine}
		if got := c.ForTraining(encoded, form.Bilinear).Engine; got != want {
			t.Errorf("for an encoder, engine %q becomes %q, want %q", engine, got, want)
		}
		for _, neural := range []form.Form{convE, form.CellWN18RR.Form()} {
			if got := c.ForTraining(kge.Settings{}, neural).Engine; got != want {
				t.Errorf("for %v, engine %q becomes %q, want %q", neural, engine, got, want)
			}
		}
		if got := c.ForTraining(kge.Settings{}, form.TransE).Engine; got != engine {
			t.Errorf("for TransE, engine %q becomes %q", engine, got)
		}
		single := &kge.Model{Training: &kge.Training{Settings: encoded}}
		if got := c.ForFoldIn([]*kge.Model{single}).Engine; got != engine {
			t.Errorf("for new labels of an encoder's model, engine %q becomes %q", engine, got)
		}
		other := &kge.Model{Parameters: kge.Parameters{Form: convE}}
		if got := c.ForFoldIn([]*kge.Model{other, single}).Engine; got != want {
			t.Errorf("for new labels of ConvE, engine %q becomes %q, want %q", engine, got, want)
		}
	}
}

// TestWithoutGPU: where CUDA is out of reach, auto is the native engine, and without any
// plugin gomlx runs on Go. A note says so and names the fix, unless Go was requested.
func TestWithoutGPU(t *testing.T) {
	t.Setenv(probe.PluginPaths, t.TempDir())
	t.Setenv("AUTOBLM_BACKEND", "auto")
	t.Setenv("GOMLX_BACKEND", "go:ops_sequential") // the other variable says not to ask
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	for _, c := range []struct{ asked, on, engine, backend, note string }{
		{"", "", "cpu", "", ""}, {"auto", "", "cpu", "", ""}, {"gomlx", "go", "gomlx", "go", ""},
		{"gomlx", "", "gomlx", "go", "backend go; on xla:cpu, training is about ten times as fast: "},
	} {
		noted := ""
		compute := autoblm.Compute{Engine: c.asked, Backend: c.on}
		compute.Note = func(text string) { noted += text }
		engine, err := compute.Open()
		if err != nil {
			t.Fatal(err)
		}
		if engine.Name() != c.engine || c.backend != "" && engine.Backend(kge.Float32) != c.backend {
			t.Errorf("engine %q is %s on %s, want %s on %s", c.asked, engine.Name(), engine.Backend(kge.Float32), c.engine, c.backend)
		}
		if !strings.Contains(noted, c.note) || (noted == "") != (c.note == "") {
			t.Errorf("engine %q on %q notes %q", c.asked, c.on, noted)
		}
		engine.Close()
	}
}

func TestComputeRefusals(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	for name, c := range map[string]struct {
		compute    autoblm.Compute
		own, gomlx string
		says       []string
	}{
		"unknown engine":    {autoblm.Compute{Engine: "torch"}, "", "", []string{"torch", "auto, cpu or gomlx"}},
		"threads below 0":   {autoblm.Compute{Threads: -1}, "", "", []string{"threads"}},
		"a backend for cpu": {autoblm.Compute{Engine: "cpu", Backend: "go"}, "", "", []string{"use backend auto"}},
		"no such plugin":    {autoblm.Compute{Backend: "xla:/nowhere/p.so"}, "", "", []string{"backend: ", "/nowhere/p.so"}},
		"own variable":      {autoblm.Compute{Engine: "gomlx"}, "xla:/nowhere/p.so", "go", []string{"AUTOBLM_BACKEND: ", "/nowhere/p.so"}},
		"GoMLX's variable":  {autoblm.Compute{}, "", "abacus", []string{"GOMLX_BACKEND: ", "abacus"}},
		"an option of go":   {autoblm.Compute{}, "", "go:abacus", []string{"GOMLX_BACKEND: ", "abacus"}},
		"CUDA without GPU":  {autoblm.Compute{}, "xla:cuda", "", []string{"AUTOBLM_BACKEND: ", "xla:cuda"}},
	} {
		t.Setenv("AUTOBLM_BACKEND", c.own)
		t.Setenv("GOMLX_BACKEND", c.gomlx)
		engine, err := c.compute.Open()
		if err == nil {
			t.Errorf("%s: %s on %s was opened", name, engine.Name(), engine.Backend(kge.Float32))
			engine.Close()
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q, which should say %q in one line", name, err, says)
			}
		}
	}
}

// TestWhoTellsClasses: the same rules choose the engine of classification.
func TestWhoTellsClasses(t *testing.T) {
	t.Setenv(probe.PluginPaths, t.TempDir())
	t.Setenv("GOMLX_BACKEND", "")
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	for _, c := range []struct {
		compute     autoblm.Compute
		own         string
		engine, err string
	}{
		{autoblm.Compute{}, "auto", "cpu", ""},
		{autoblm.Compute{Engine: "cpu"}, "go", "cpu", ""},
		{autoblm.Compute{}, "go", "gomlx", ""},
		{autoblm.Compute{Backend: "go"}, "auto", "gomlx", ""},
		{autoblm.Compute{Engine: "cpu", Backend: "go"}, "auto", "", "has no backend"},
		{autoblm.Compute{Backend: "xla:/nowhere/p.so"}, "auto", "", "/nowhere/p.so"},
	} {
		t.Setenv("AUTOBLM_BACKEND", c.own)
		engine, err := c.compute.OpenClassify()
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%+v: %v, which should say %q", c.compute, err, c.err)
		case c.err == "" && (err != nil || engine.Name() != c.engine):
			t.Errorf("%+v: %v, %v", c.compute, engine, err)
		}
		if err == nil {
			engine.Close()
		}
	}
}
