package kge_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
)

// FuzzResume replaces bytes of a checkpoint. A damaged checkpoint gives an error or the result of
// an undisturbed training. With a correct checksum it gives any result, but never a panic.
func FuzzResume(f *testing.F) {
	j := job(2, func(s *kge.Settings) { s.Epochs, s.ValidateEvery = 3, 1 })
	j.Checkpoint = &kge.Checkpoint{File: filepath.Join(f.TempDir(), "training")}
	numbers := []int32{3, 1, 4}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	interrupted := j
	interrupted.OnEpoch = func(p kge.Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	}
	_, err := kge.Train(ctx, script(numbers), interrupted)
	if err != nil && !errors.Is(err, context.Canceled) {
		f.Fatal(err)
	}
	content, err := os.ReadFile(j.Checkpoint.File)
	require.NoError(f, err)
	want, err := kge.Train(context.Background(), script(numbers), j)
	require.NoError(f, err)
	f.Add(uint(0), uint(0), []byte{}, false)
	f.Add(uint(30), uint(1), []byte("}"), false)
	f.Add(uint(100), uint(10), []byte(`1e999`), true)
	f.Add(uint(len(content)-8), uint(4), []byte{0, 0, 0xc0, 0x7f}, true)
	if name := bytes.Index(content, []byte("settings")); name > 0 {
		f.Add(uint(name+3), uint(2), []byte(`\n`), true) // a line end within a name
	}
	f.Fuzz(func(t *testing.T, at, count uint, change []byte, checksum bool) {
		body := content[:len(content)-4]
		at %= uint(len(body))
		end := at + min(count, uint(len(body))-at)
		changed := slices.Concat(body[:at], change, content[end:])
		if checksum {
			changed = changed[:len(changed)-4]
			sum := crc32.Checksum(changed, crc32.MakeTable(crc32.Castagnoli))
			changed = binary.LittleEndian.AppendUint32(changed, sum)
		}
		resumed := j
		resumed.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
		require.NoError(t, os.WriteFile(resumed.Checkpoint.File, changed, 0o644))
		got, err := kge.Train(context.Background(), script(numbers), resumed)
		switch {
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("the error %q has several lines", err)
		case err == nil && !checksum:
			if d := cmp.Diff(untimed(want), untimed(got), sameErrors, comparables); d != "" {
				t.Errorf("a damaged checkpoint gave another result (-want +got):\n%s", d)
			}
		}
	})
}
