package cpu

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

func TestInstructionsText(t *testing.T) {
	for want, i := range map[string]Instructions{
		"avx512, amx (bfloat16 products)": {Vectors: "avx512",
			Bfloat16: "amx", Faster: true},
		"avx512, avx512-bf16 (bfloat16 products, slower than float32)": {Vectors: "avx512",
			Bfloat16: "avx512-bf16"},
		"avx2, no bfloat16 products":   {Vectors: "avx2"},
		"no known vector instructions": {Vectors: portable},
	} {
		if got := i.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAutoUsesWhatIsFaster checks that auto resolves to bfloat16 only where that is faster.
func TestAutoUsesWhatIsFaster(t *testing.T) {
	t.Setenv(kge.PrecisionVariable, "")
	for _, pays := range []bool{true, false} {
		e := &Engine{threads: 1, kernels: kernel.Sets()[0],
			bf16Sets: []*kernel.BF16Set{{Name: "avx512-bf16", Faster: pays}}}
		want := kge.Float32
		if pays {
			want = kge.Bfloat16
		}
		if got, err := e.Precision(kge.AutoPrecision, form.Bilinear, 40_000, 512); got != want ||
			err != nil {
			t.Errorf("pays %v: %v, %v", pays, got, err)
		}
		if got, err := e.Precision(kge.Bfloat16, form.Bilinear, 40_000, 512); got != kge.Bfloat16 ||
			err != nil {
			t.Errorf("by name: %v, %v", got, err)
		}
	}
}
