package inputfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/require"
)

// packed writes so many bytes into a .gz.
func packed(t *testing.T, size int) string {
	t.Helper()
	var content bytes.Buffer
	w := gzip.NewWriter(&content)
	_, err := w.Write(make([]byte, size))
	require.NoError(t, errors.Join(err, w.Close()))
	path := filepath.Join(t.TempDir(), "x.gz")
	require.NoError(t, os.WriteFile(path, content.Bytes(), 0o644))
	return path
}

// TestOpenDecompressed checks the limit on the decompressed size.
func TestOpenDecompressed(t *testing.T) {
	for size, want := range map[int]string{16 << 20: "", 16<<20 + 1: "more than 16777216 bytes"} {
		file, err := inputfile.OpenDecompressed(packed(t, size))
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, file)
		file.Close()
		if want == "" && (err != nil || n != int64(size)) || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want) || n > 16<<20) {
			t.Errorf("%d bytes: %d came, %v", size, n, err)
		}
	}
}

func TestMaxDecompressed(t *testing.T) {
	for size, want := range map[int64]int64{
		0: 16 << 20, 1000: 16 << 20, 1 << 20: 100 << 20, 1 << 30: 16 << 30, 1 << 62: 16 << 30,
	} {
		if got := inputfile.MaxDecompressed(size); got != want {
			t.Errorf("of %d bytes %d may come, want %d", size, got, want)
		}
	}
}
