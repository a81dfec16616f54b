package kge_test

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

func TestTiesText(t *testing.T) {
	for ties, text := range map[kge.Ties]string{kge.Pessimistic: "pessimistic", kge.Optimistic: "optimistic", kge.Realistic: "realistic"} {
		if written, err := ties.MarshalText(); err != nil || string(written) != text {
			t.Errorf("%d is written as %q (%v), want %q", ties, written, err, text)
		}
		back := kge.Ties(-1)
		if err := back.UnmarshalText([]byte(text)); err != nil || back != ties {
			t.Errorf("%q is read as %v (%v)", text, back, err)
		}
	}
	var ties kge.Ties
	checkError(t, ties.UnmarshalText([]byte("random")), `"random"`, "use pessimistic, optimistic or realistic")
	_, err := kge.Ties(9).MarshalText()
	checkError(t, err, "tie rule(9)")
}
