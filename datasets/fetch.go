package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// Fetch downloads a benchmark into the cache folder, from where [Open] reads it, and
// returns that folder. If one of [Folders] already has the right files, it is returned, and nothing
// is downloaded.
//
// Fetch tries the addresses in order. The splits appear in the cache all at once, and only
// with the right checksums; they replace files that failed the check. The error has the
// failure of each address.
//
// progress, when set, is called with the received bytes and the size of the archive, -1 if
// unknown. The count starts again when another address is tried.
func Fetch(
	ctx context.Context, name string, progress func(done, total int64),
) (dir string, err error) {
	if name == worldName {
		return "", fmt.Errorf("%s is embedded; open it without a download", worldName)
	}
	b, known := benchmark(name)
	if !known {
		return "", enum.Unknown("benchmark", name, benchmarkNames())
	}
	return b.fetch(ctx, progress)
}

func (b Benchmark) fetch(
	ctx context.Context, progress func(done, total int64),
) (string, error) {
	for _, dir := range Folders(b.Name) {
		if b.isIn(dir) {
			return dir, nil
		}
	}
	dir := cacheFolder("datasets", b.Name)
	err := os.MkdirAll(filepath.Dir(dir), 0o777)
	if err == nil {
		var splits map[string][]byte
		if splits, err = b.download(ctx, dir, progress); err != nil {
			return "", err
		}
		var files []atomicfile.File
		for _, split := range []string{"valid", "test", "train"} {
			files = append(files, atomicfile.File{Name: split + ".txt", Content: splits[split]})
		}
		err = atomicfile.WriteFolder(dir, files)
	}
	if err != nil {
		return "", fmt.Errorf("store %s: %w; free disk space, or set XDG_CACHE_HOME to a writable folder",
			b.Name, err)
	}
	return dir, nil
}

// isIn reports whether a folder has exactly the benchmark's three splits.
func (b Benchmark) isIn(dir string) bool {
	splits := map[string][]byte{}
	for _, split := range splitNames {
		content, err := inputfile.Read(filepath.Join(dir, split+".txt"))
		if err != nil {
			return false
		}
		splits[split] = content
	}
	return b.verify(splits) == nil
}

// download returns the verified splits from the first address that has them. dir is for errors.
func (b Benchmark) download(
	ctx context.Context, dir string, progress func(done, total int64),
) (map[string][]byte, error) {
	var failures error
	for _, address := range b.Addresses {
		archive, err := download(ctx, address, progress)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: download interrupted: %w; fetch it again",
				b.Name, context.Cause(ctx))
		}
		var splits map[string][]byte
		if err == nil {
			splits, err = unpackSplits(archive)
		}
		if err == nil {
			err = b.verify(splits)
		}
		if err == nil {
			return splits, nil
		}
		if failures == nil {
			failures = fmt.Errorf("%s: %w", address, err)
		} else {
			failures = fmt.Errorf("%w; %s: %w", failures, address, err)
		}
	}
	return nil, fmt.Errorf("fetch %s: %w; try again later, or put train.txt, valid.txt and test.txt "+
		"into %s", b.Name, failures, dir)
}

// maxDownload limits the size of an archive, far above those of the registry.
const maxDownload = 256 << 20

// serverPatience is the time without data after which a server counts as dead.
var serverPatience = time.Minute

// download returns the content of an address.
func download(
	ctx context.Context, address string, progress func(done, total int64),
) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(serverPatience, func() {
		cancel(fmt.Errorf("the server sent nothing for %v", serverPatience))
	})
	defer stalled.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if inAddress, ok := errors.AsType[*url.Error](err); ok {
		return nil, inAddress.Err // the caller names the address
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server responded %s", response.Status)
	}
	done := int64(0)
	content, err := io.ReadAll(&reportingReader{
		Reader: http.MaxBytesReader(nil, response.Body, maxDownload),
		report: func(n int) {
			stalled.Reset(serverPatience)
			if done += int64(n); progress != nil {
				progress(done, response.ContentLength)
			}
		},
	})
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, fmt.Errorf("the transfer broke off: %w", err)
	}
	return content, nil
}

// reportingReader reports the number of bytes of each read.
type reportingReader struct {
	io.Reader
	report func(n int)
}

func (r *reportingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.report(n)
	return n, err
}
