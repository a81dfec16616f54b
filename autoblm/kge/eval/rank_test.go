package eval_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

func TestTiesText(t *testing.T) {
	for ties, text := range map[eval.Ties]string{eval.Pessimistic: "pessimistic",
		eval.Optimistic: "optimistic", eval.Realistic: "realistic"} {
		if written, err := ties.MarshalText(); err != nil || string(written) != text {
			t.Errorf("%d is written as %q (%v), want %q", ties, written, err, text)
		}
		back := eval.Ties(-1)
		if err := back.UnmarshalText([]byte(text)); err != nil || back != ties {
			t.Errorf("%q is read as %v (%v)", text, back, err)
		}
	}
	var ties eval.Ties
	checkError(t, ties.UnmarshalText([]byte("random")), `"random"`,
		"use pessimistic, optimistic or realistic")
	_, err := eval.Ties(9).MarshalText()
	checkError(t, err, "tie rule(9)")
}
