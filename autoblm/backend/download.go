package backend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"
)

// The reasons why a download fails.
var (
	errDigest  = errors.New("SHA-256 digest differs from the pinned one")
	errNoFile  = errors.New("not in the package index")
	errNetwork = errors.New("download failed")
)

const (
	// defaultIndex is the Python Package Index.
	defaultIndex = "https://pypi.org/simple"
	// maxPage limits the size of an index page in bytes.
	maxPage = 64 << 20
)

// downloader downloads files into a cache.
type downloader struct {
	index    *url.URL // package index, see https://peps.python.org/pep-0503
	cache    string
	progress Progress // or nil
}

// newDownloader returns a downloader for the index with an address; "" is the default.
func newDownloader(index, cache string) (downloader, error) {
	u, err := url.Parse(cmp.Or(index, defaultIndex))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		// The address may contain a password.
		return downloader{}, errors.New("PIP_INDEX_URL is not the address of a web page")
	}
	return downloader{index: u, cache: cache}, nil
}

// wheel downloads a wheel and returns its path.
func (d downloader) wheel(ctx context.Context, w wheel) (string, error) {
	if file, ok := d.cached(w.File, w.SHA256); ok {
		return file, nil
	}
	links, err := d.links(ctx, w.Package)
	if err != nil {
		return "", err
	}
	for _, link := range links {
		if path.Base(link.Path) == w.File {
			link.Fragment = ""
			return d.download(ctx, w.File, link, w.SHA256)
		}
	}
	return "", fmt.Errorf("%s is %w %s", w.File, errNoFile, d.index.Redacted())
}

var hrefs = regexp.MustCompile(`(?i)<a\s[^>]*?href\s*=\s*["']([^"']*)["']`)

// links returns the links on the index page of a package.
func (d downloader) links(ctx context.Context, name string) ([]*url.URL, error) {
	response, err := get(ctx, d.index.JoinPath(name, "/"))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNetwork, err)
	}
	var links []*url.URL
	for _, match := range hrefs.FindAllSubmatch(page, -1) {
		link, err := response.Request.URL.Parse(html.UnescapeString(string(match[1])))
		if err != nil {
			continue
		}
		if link.Host == d.index.Host {
			link.User = d.index.User
		}
		links = append(links, link)
	}
	return links, nil
}

// cached returns the path of a file in the cache, and whether it has the digest.
func (d downloader) cached(name, want string) (string, bool) {
	path := filepath.Join(d.cache, name)
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	got, err := copyDigest(io.Discard, file)
	return path, err == nil && got == want
}

// download downloads a file into the cache, unless its digest differs.
func (d downloader) download(
	ctx context.Context, name string, address *url.URL, want string,
) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	response, err := get(ctx, address)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	stalled := time.AfterFunc(serverPatience, func() {
		cancel(fmt.Errorf("%w: the server sent nothing for %v", errNetwork, serverPatience))
	})
	defer stalled.Stop()
	to := filepath.Join(d.cache, name)
	part, err := os.Create(to + ".part")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name()) // fails after the renaming
	from := response.Request.URL.Redacted()
	body := &progressReader{Reader: response.Body, report: func(done int64) {
		stalled.Reset(serverPatience)
		if d.progress != nil {
			d.progress(name, done, response.ContentLength)
		}
	}}
	got, err := copyDigest(part, body)
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	if err := errors.Join(err, part.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", from, err)
	}
	if got != want {
		return "", fmt.Errorf("%s: %w: got %s, want %s", from, errDigest, got, want)
	}
	return to, os.Rename(part.Name(), to)
}

// serverPatience is the time without data after which a server counts as dead.
var serverPatience = time.Minute

// client gives a mirror time to fetch a large file before it answers.
var client = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = serverPatience
	return &http.Client{Transport: transport}
}()

// get requests an address. Each error wraps errNetwork, and errNoFile for status 404.
func get(ctx context.Context, address *url.URL) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/html, */*;q=0.1") // some indexes prefer JSON
	response, err := client.Do(request)
	if err != nil { // does not show the password
		return nil, fmt.Errorf("%w: %w", errNetwork, err)
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		err := fmt.Errorf("%s: %s", address.Redacted(), response.Status)
		if response.StatusCode == http.StatusNotFound {
			return nil, fmt.Errorf("%w: %w", errNoFile, err)
		}
		return nil, fmt.Errorf("%w: %w", errNetwork, err)
	}
	return response, nil
}

// copyDigest copies data and returns its SHA-256 digest.
func copyDigest(to io.Writer, from io.Reader) (string, error) {
	hash := sha256.New()
	_, err := io.Copy(io.MultiWriter(to, hash), from)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// progressReader reports the number of bytes read.
type progressReader struct {
	io.Reader
	report func(done int64)
	done   int64
}

func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += int64(n)
	r.report(r.done)
	return n, err
}
