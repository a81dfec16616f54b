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
	// downloadAttempts limits how often an interrupted download is continued.
	downloadAttempts = 3
	// serverPatience is the time without data after which a server counts as dead.
	serverPatience = time.Minute
)

// download writes the content of one address into a file. It continues the file of an
// earlier, interrupted run.
type download struct {
	address  string
	path     string // of the archive, whole or in part
	options  FetchOptions
	patience time.Duration // longest time without data from the server
	received int64         // bytes in the file
}

func newDownload(address, dir string, options FetchOptions) *download {
	// The name depends on the address, so that parts of two archives never mix.
	id := sha256.Sum256([]byte(address))
	return &download{
		address:  address,
		path:     fmt.Sprintf("%s-%s.part", dir, hex.EncodeToString(id[:4])),
		options:  options,
		patience: serverPatience,
	}
}

// versionPath returns the file that stores the server's ETag or date of the archive, so
// that a download continues only the same version.
func (d *download) versionPath() string { return d.path + ".version" }

// discard removes the downloaded files.
func (d *download) discard() error {
	for _, path := range []string{d.path, d.versionPath()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &localError{err}
		}
	}
	return nil
}

// run downloads until the file is complete. resumed is true if it used a part from an
// earlier run.
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

// brokenError marks a transfer that ended early and can be continued.
type brokenError struct{ cause error }

func (e *brokenError) Error() string { return "the transfer broke off: " + e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }

// attempt makes one request and writes the response. kept is true if the bytes that were
// in the file are still used.
func (d *download) attempt(ctx context.Context, file *os.File) (kept bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(d.patience, func() {
		cancel(fmt.Errorf("the server sent nothing for %v", d.patience))
	})
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
	outOfRange := response.StatusCode == http.StatusRequestedRangeNotSatisfiable
	switch {
	case response.StatusCode == http.StatusOK:
		kept = false
		if err := d.restart(file, response); err != nil {
			return false, err
		}
	case response.StatusCode == http.StatusPartialContent && rangeStart(response) == d.received:
	case outOfRange && rangeTotal(response) == d.received:
		return true, nil // the file is complete
	case outOfRange, response.StatusCode == http.StatusPartialContent:
		// The part does not match the server's file.
		if err := d.empty(file); err != nil {
			return false, err
		}
		return false, &brokenError{errors.New("the server sent a range that was not requested")}
	default:
		return true, fmt.Errorf("the server responded %s", response.Status)
	}

	total := int64(-1)
	if response.ContentLength >= 0 {
		total = d.received + response.ContentLength
	}
	return kept, d.copy(ctx, file, response.Body, total, func() { stalled.Reset(d.patience) })
}

// copy appends body to the file. It calls alive after each read.
func (d *download) copy(
	ctx context.Context, file *os.File, body io.Reader, total int64, alive func(),
) error {
	d.report(total)
	buffer := make([]byte, 64<<10)
	for {
		n, readErr := body.Read(buffer)
		alive()
		if readErr == nil && ctx.Err() != nil {
			readErr = ctx.Err() // the body may still have buffered data
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

// restart empties the file for a response that has the whole archive, and stores its version.
func (d *download) restart(file *os.File, response *http.Response) error {
	if err := d.empty(file); err != nil {
		return err
	}
	version := response.Header.Get("ETag")
	if version == "" || strings.HasPrefix(version, "W/") { // If-Range allows no weak ETags
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

// rangeStart returns the first byte of a partial response, -1 if the header lacks it.
func rangeStart(response *http.Response) int64 {
	var start, end int64
	header := response.Header.Get("Content-Range")
	if _, err := fmt.Sscanf(header, "bytes %d-%d/", &start, &end); err != nil {
		return -1
	}
	return start
}

// rangeTotal returns the size of the complete file according to a response without
// content, -1 if the header lacks it.
func rangeTotal(response *http.Response) int64 {
	var total int64
	if _, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes */%d", &total); err != nil {
		return -1
	}
	return total
}
