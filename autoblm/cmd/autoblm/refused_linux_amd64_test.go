package main

import (
	"bytes"
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
	refused := func(line ...string) string {
		t.Helper()
		command, said := programOf(t, line...), &bytes.Buffer{}
		command.Stdout = said
		if err := seccomptest.Start(command, unix.EPERM); err != nil {
			t.Skip("no filter of system calls:", err)
		}
		if err := command.Wait(); err != nil {
			t.Fatalf("%v: %s", err, command.Stderr)
		}
		return said.String()
	}
	contains(t, flat(refused("backend list")), "avx512-bf16 (bfloat16 products, slower than float32)",
		"cpu: the processor has AMX, but the operating system does not let programs use it "+
			"(operation not permitted)")
	contains(t, refused("train --precision bfloat16 --json --dataset", smallGraph(t), quick, "--out",
		t.TempDir()), `"precision":"bfloat16"`)
}
