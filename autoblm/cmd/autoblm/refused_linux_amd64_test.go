package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/seccomptest"
)

// TestRefusedMatrixUnit: if a sandbox forbids the matrix unit, backend list says why, and bfloat16
// works.
func TestRefusedMatrixUnit(t *testing.T) {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 {
		t.Skip("this processor has no AMX")
	}
	t.Setenv(kge.PrecisionVariable, "")
	refused := func(arguments ...string) string {
		t.Helper()
		command, said := programOf(t, arguments...), &bytes.Buffer{}
		command.Stdout = said
		if err := seccomptest.Start(command, unix.EPERM); err != nil {
			t.Skip("no filter of system calls:", err)
		}
		if err := command.Wait(); err != nil {
			t.Fatalf("%v: %s", err, command.Stderr)
		}
		return said.String()
	}
	if said := refused("backend", "list"); !strings.Contains(said,
		"avx512-bf16 (bfloat16 products, slower than float32)") ||
		!strings.Contains(said,
			"cpu: the processor has AMX, but the operating system does not let programs use it (operation not permitted)") {
		t.Errorf("it says:\n%s", said)
	}
	var result struct{ Precision string }
	said := refused("train", "--dataset", smallGraph(t), "--structure", "simple", "--dim", "8",
		"--epochs", "1", "--precision", "bfloat16", "--out", t.TempDir(), "--json")
	if err := json.Unmarshal([]byte(said), &result); err != nil || result.Precision != "bfloat16" {
		t.Errorf("a training in bfloat16 says %s: %v", said, err)
	}
}
