package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// FetchOptions configures [Fetch]. The zero value is valid.
type FetchOptions struct {
	// Progress is called with the received bytes and the size of the archive, -1 if
	// unknown. The count starts again when another address is tried.
	Progress func(done, total int64)
	// Client makes the requests; nil means http.DefaultClient.
	Client *http.Client
}

// Fetch downloads a benchmark into the cache folder, from where [Open] reads it, and
// returns that folder. If the folder already has the right files, nothing is downloaded.
//
// Fetch tries the addresses in order. A later call continues an interrupted download. The
// splits appear in the cache all at once, and only with the right checksums; they replace
// files that failed the check. The error has the failure of each address.
func Fetch(ctx context.Context, name string, options FetchOptions) (dir string, err error) {
	if name == worldName {
		return "", fmt.Errorf("%s is embedded; open it without a download", worldName)
	}
	b, known := benchmark(name)
	if !known {
		return "", enum.Unknown("benchmark", name, benchmarkNames())
	}
	return b.fetch(ctx, options)
}

func (b Benchmark) fetch(ctx context.Context, options FetchOptions) (string, error) {
	dir := cacheFolder(b.Name)
	if b.verify(dir) == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", cacheError(b.Name, err)
	}
	var failures error
	for _, address := range b.Addresses {
		err := b.fetchFrom(ctx, address, dir, options)
		if err == nil {
			return dir, nil
		}
		if ctx.Err() != nil {
			return "", fmt.Errorf("%s: download interrupted: %w; the next fetch continues it",
				b.Name, context.Cause(ctx))
		}
		var local *localError
		if errors.As(err, &local) {
			return "", cacheError(b.Name, err)
		}
		if failures == nil {
			failures = fmt.Errorf("%s: %w", address, err)
		} else {
			failures = fmt.Errorf("%w; %s: %w", failures, address, err)
		}
	}
	return "", fmt.Errorf("fetch %s: %w; try again later, or put train.txt, valid.txt and test.txt "+
		"into %s",
		b.Name, failures, dir)
}

func cacheError(name string, err error) error {
	return fmt.Errorf("store %s: %w; free disk space, or set XDG_CACHE_HOME to a writable folder",
		name, err)
}

// fetchFrom downloads one address and installs the benchmark in dir.
func (b Benchmark) fetchFrom(ctx context.Context, address, dir string, options FetchOptions) error {
	d := newDownload(address, dir, options)
	resumed, err := d.run(ctx)
	if err != nil && d.received == 0 {
		return errors.Join(err, d.discard())
	}
	if err != nil {
		return err
	}
	err = b.install(d.path, dir)
	var local *localError
	if err != nil && resumed && !errors.As(err, &local) {
		// The resumed beginning may be from an older version of the file.
		if err := d.discard(); err != nil {
			return err
		}
		if _, err := d.run(ctx); err != nil {
			return err
		}
		err = b.install(d.path, dir)
	}
	if err != nil && errors.As(err, &local) {
		return err // the archive is valid: keep it
	}
	return errors.Join(err, d.discard())
}

// install unpacks an archive next to dir, checks the splits and renames the result to dir.
func (b Benchmark) install(archive, dir string) error {
	var refused error
	err := atomicfile.Folder(dir, func(fresh string) error {
		if refused = unpackSplits(archive, fresh, archiveLimits); refused != nil {
			return refused
		}
		if refused = b.verify(fresh); refused != nil {
			return refused
		}
		// The old folder failed its check before the download. Another process may have
		// installed the right data since.
		if b.verify(dir) == nil {
			return nil
		}
		return os.RemoveAll(dir)
	})
	switch {
	case refused != nil:
		return refused
	case errors.Is(err, fs.ErrExist) && b.verify(dir) == nil:
		return nil
	case err != nil:
		return &localError{err}
	}
	return nil
}
