package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
)

const (
	// maxDownload bounds an archive, far above those of the registry.
	maxDownload = 2 << 30
	// downloadAttempts is how often a download that broke off is taken up again.
	downloadAttempts = 3
	// serverPatience is how long a server may keep silent.
	serverPatience = time.Minute
)

// download brings one address into a file and can go on with a file that an
// earlier run left.
type download struct {
	address  string
	path     string // of the archive, whole or in part
	options  FetchOptions
	patience time.Duration // how long the server may keep silent
	received int64         // bytes in the file
}

func newDownload(address, dir string, options FetchOptions) *download {
	// The name depends on the address: parts of two archives must not mix.
	id := sha256.Sum256([]byte(address))
	return &download{
		address:  address,
		path:     fmt.Sprintf("%s-%s.part", dir, hex.EncodeToString(id[:4])),
		options:  options,
		patience: serverPatience,
	}
}

// versionPath is the file that keeps what the server called this version of the
// archive (its ETag or date), so that only the same version is continued.
func (d *download) versionPath() string { return d.path + ".version" }

// discard removes what was downloaded.
func (d *download) discard() error {
	for _, path := range []string{d.path, d.versionPath()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &localError{err}
		}
	}
	return nil
}

// run downloads until the file is whole. It says whether a part from before was
// used.
func (d *download) run(ctx context.Context) (resumed bool, err error) {
	file, err := os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return false, &localError{err}
	}
	defer func() {
		if closeErr := file.Close(); closeErr != nil && err == nil {
			err = &localError{closeErr}
		}
	}()
	for attempt := 1; ; attempt++ {
		if d.received, err = file.Seek(0, io.SeekEnd); err != nil {
			return resumed, &localError{err}
		}
		before := d.received
		kept, err := d.attempt(ctx, file)
		resumed = kept && (resumed || before > 0)
		var broken *brokenError
		if !errors.As(err, &broken) || attempt == downloadAttempts || ctx.Err() != nil {
			return resumed, err
		}
	}
}

// brokenError says that a transfer ended early: what came is of use.
type brokenError struct{ cause error }

func (e *brokenError) Error() string { return "the transfer broke off: " + e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }

// attempt makes one request and writes its answer. It says whether the bytes
// that were in the file are still used.
func (d *download) attempt(ctx context.Context, file *os.File) (kept bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(d.patience, func() { cancel(fmt.Errorf("the server kept silent for %v", d.patience)) })
	defer stalled.Stop()

	response, err := d.request(ctx)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return true, cause
		}
		var inAddress *url.Error
		if errors.As(err, &inAddress) {
			err = inAddress.Err // the caller names the address
		}
		return true, err
	}
	defer response.Body.Close()
	kept = true
	switch {
	case response.StatusCode == http.StatusOK:
		kept = false
		if err := d.restart(file, response); err != nil {
			return false, err
		}
	case response.StatusCode == http.StatusPartialContent && rangeStart(response) == d.received:
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable && rangeTotal(response) == d.received:
		return true, nil // everything is here already
	case response.StatusCode == http.StatusPartialContent, response.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		// The part does not fit to what the server has.
		if err := d.empty(file); err != nil {
			return false, err
		}
		return false, &brokenError{errors.New("the server sent another range than was asked for")}
	default:
		return true, fmt.Errorf("the server answers %s", response.Status)
	}

	total := int64(-1)
	if response.ContentLength >= 0 {
		total = d.received + response.ContentLength
	}
	return kept, d.copy(ctx, file, response.Body, total, func() { stalled.Reset(d.patience) })
}

func (d *download) copy(ctx context.Context, file *os.File, body io.Reader, total int64, alive func()) error {
	d.report(total)
	buffer := make([]byte, 64<<10)
	for {
		n, readErr := body.Read(buffer)
		alive()
		if readErr == nil && ctx.Err() != nil {
			readErr = ctx.Err() // the body may have more that came before the stop
		}
		if n > 0 {
			if _, err := file.Write(buffer[:n]); err != nil {
				return &localError{err}
			}
			d.received += int64(n)
			d.report(total)
		}
		switch {
		case d.received > maxDownload:
			return fmt.Errorf("the archive is larger than %d bytes", int64(maxDownload))
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			if cause := context.Cause(ctx); cause != nil {
				readErr = cause
			}
			return &brokenError{readErr}
		}
	}
}

func (d *download) report(total int64) {
	if d.options.Progress != nil {
		d.options.Progress(d.received, total)
	}
}

func (d *download) request(ctx context.Context) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return nil, err
	}
	// Ranges count the bytes of the archive, not of a compressed transfer.
	request.Header.Set("Accept-Encoding", "identity")
	if d.received > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.received))
		if version, err := os.ReadFile(d.versionPath()); err == nil && len(version) > 0 {
			request.Header.Set("If-Range", string(version))
		}
	}
	return cmp.Or(d.options.Client, http.DefaultClient).Do(request)
}

// restart empties the file for an answer that begins at the beginning, and
// notes its version.
func (d *download) restart(file *os.File, response *http.Response) error {
	if err := d.empty(file); err != nil {
		return err
	}
	version := response.Header.Get("ETag")
	if version == "" || strings.HasPrefix(version, "W/") { // If-Range takes no weak ones
		version = response.Header.Get("Last-Modified")
	}
	if err := atomicfile.Write(d.versionPath(), []byte(version)); err != nil {
		return &localError{err}
	}
	return nil
}

func (d *download) empty(file *os.File) error {
	d.received = 0
	if err := file.Truncate(0); err != nil {
		return &localError{err}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return &localError{err}
	}
	return nil
}

// rangeStart returns the first byte of a partial answer, -1 when it is not said.
func rangeStart(response *http.Response) int64 {
	var start, end int64
	if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-%d/", &start, &end); err != nil {
		return -1
	}
	return start
}

// rangeTotal returns the size of the whole file as said by an answer that has
// nothing to send, -1 when it is not said.
func rangeTotal(response *http.Response) int64 {
	var total int64
	if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes */%d", &total); err != nil {
		return -1
	}
	return total
}
