package pip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// File is one that a place offers.
type File struct {
	Name, URL string
	// SHA256 is what the place says that its digest is, or "" where it does not say.
	SHA256 string
	// Place is the address of where it is offered, without a password.
	Place string
	// Metadata says that what is in the file about the package can be had by itself, at its
	// address with .metadata after it (PEP 658).
	Metadata bool
}

// accept is what a client of PEP 691 asks for.
const accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"

// maxPage is how long a page of an index may be: that of the longest packages has some megabytes.
const maxPage = 64 << 20

// Files are those of a package in all places: first those with links, then the index, then the
// further ones. A place that does not know the package offers none; the error tells in one line
// why other places could not be asked, and does not keep the files of the rest from coming.
func (c *Client) Files(ctx context.Context, name string) (all []File, err error) {
	add := func(place, page string) {
		files, problem := c.page(ctx, page)
		if problem != nil && err != nil {
			err = fmt.Errorf("%w; %w", err, problem)
		} else if problem != nil {
			err = problem
		}
		for _, f := range files {
			if before, _, _ := strings.Cut(f.Name, "-"); normal(before) == normal(name) {
				f.Place = hidden(place)
				all = append(all, f)
			}
		}
	}
	for _, link := range c.settings.Links {
		page := link
		if u, err := url.Parse(link); err == nil && u.Scheme == "file" && path.Ext(u.Path) == "" {
			page = strings.TrimSuffix(link, "/") + "/" // a folder
		}
		add(link, page)
	}
	for _, index := range c.settings.Indexes {
		add(index, strings.TrimSuffix(index, "/")+"/"+normal(name)+"/")
	}
	return all, err
}

// Places are the addresses that are asked, without passwords.
func (c *Client) Places() []string {
	var all []string
	for _, place := range slices.Concat(c.settings.Links, c.settings.Indexes) {
		all = append(all, hidden(place))
	}
	return all
}

var separators = regexp.MustCompile(`[-_.]+`)

// normal is the one name among the ways to write it (PEP 503).
func normal(name string) string { return strings.ToLower(separators.ReplaceAllString(name, "-")) }

// page are the files that a page offers; none where there is no such page.
func (c *Client) page(ctx context.Context, address string) ([]File, error) {
	if u, err := url.Parse(address); err == nil && strings.HasSuffix(u.Path, ".whl") {
		f, ok := fileAt(u)
		if !ok {
			return nil, nil
		}
		return []File{f}, nil
	}
	response, err := c.Get(ctx, address, accept)
	var status *Error
	if errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body := io.LimitReader(response.Body, maxPage)
	at := response.Request.URL // after it was sent elsewhere
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	var files []File
	switch kind = strings.TrimSpace(strings.ToLower(kind)); kind {
	case "application/vnd.pypi.simple.v1+json":
		files, err = readJSON(body, at)
	case "application/vnd.pypi.simple.v1+html", "text/html":
		files, err = readHTML(body, at)
	default:
		err = fmt.Errorf("answers with %q, which is no page of an index", kind)
	}
	if err != nil {
		return nil, &Error{Address: hidden(address), Err: err}
	}
	return files, nil
}

// readJSON reads a page of PEP 691.
func readJSON(body io.Reader, at *url.URL) ([]File, error) {
	var page struct {
		Meta struct {
			Version string `json:"api-version"`
		} `json:"meta"`
		Files []struct {
			Name     string            `json:"filename"`
			URL      string            `json:"url"`
			Hashes   map[string]string `json:"hashes"`
			Metadata json.RawMessage   `json:"core-metadata"`
		} `json:"files"`
	}
	if err := json.NewDecoder(body).Decode(&page); err != nil {
		return nil, fmt.Errorf("has a page that cannot be read (%w)", err)
	}
	if major, _, _ := strings.Cut(page.Meta.Version, "."); major != "1" {
		return nil, fmt.Errorf("has a page of version %q of the protocol, and this program reads 1", page.Meta.Version)
	}
	var files []File
	for _, entry := range page.Files {
		u, err := at.Parse(entry.URL)
		if err != nil || !mayLink(at, u) {
			continue
		}
		metadata := strings.TrimSpace(string(entry.Metadata))
		files = append(files, File{Name: entry.Name, URL: u.String(), SHA256: strings.ToLower(entry.Hashes["sha256"]),
			Metadata: metadata != "" && metadata != "false" && metadata != "null"})
	}
	return files, nil
}

// mayLink keeps a page of the web from naming files that lie here.
func mayLink(from, to *url.URL) bool {
	return to.Scheme == "https" || to.Scheme == "http" || to.Scheme == "file" && from.Scheme == "file"
}

// fileAt is the file at an address, whose digest may come after the #.
func fileAt(u *url.URL) (File, bool) {
	f := File{Name: path.Base(u.Path)}
	if digest, ok := strings.CutPrefix(u.Fragment, "sha256="); ok {
		f.SHA256 = strings.ToLower(digest)
	}
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	f.URL = plain.String()
	return f, u.Path != "" && !strings.HasSuffix(u.Path, "/")
}
