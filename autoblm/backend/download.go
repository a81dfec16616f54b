package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/pip"
)

// The errors of downloads.
var (
	// ErrNoDigest marks a download whose right content is not known.
	ErrNoDigest = errors.New("no SHA-256 digest of it is pinned")
	errDigest   = errors.New("not what was pinned")
	errNowhere  = errors.New("is in none of the places that pip's settings name")
)

// downloader brings files into a cache.
type downloader struct {
	client   *pip.Client
	cache    string
	progress func(name string, done, total int64) // or nil
}

// files are those of a source, all of them, and how they are put into the folder of plugins.
func (d downloader) files(ctx context.Context, s source) ([]string, put, error) {
	if err := os.MkdirAll(d.cache, 0o755); err != nil {
		return nil, nil, err
	}
	var why error
	if len(s.wheels) > 0 {
		files, err := d.wheels(ctx, s.wheels)
		if err == nil || s.release.URL == "" || ctx.Err() != nil || !isAway(err) {
			return files, putWheels(s.wheels), err
		}
		why = err
	}
	file, err := d.release(ctx, s.release)
	if err != nil && why != nil {
		err = fmt.Errorf("%w, and %w", why, err)
	}
	return []string{file}, putArchive, err
}

// isAway says whether what was asked for could not be had, and nothing worse.
func isAway(err error) bool {
	var place *pip.Error
	return !errors.Is(err, errDigest) && (errors.Is(err, errNowhere) || errors.As(err, &place))
}

func (d downloader) wheels(ctx context.Context, all []wheel) (files []string, err error) {
	for _, w := range all {
		file, err := d.wheel(ctx, w)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// wheel is a wheel from the first place that has it with the right digest.
func (d downloader) wheel(ctx context.Context, w wheel) (string, error) {
	if file, here := d.cached(w.File, w.SHA256); here {
		return file, nil
	}
	offered, err := d.client.Files(ctx, w.Package)
	for _, file := range offered {
		if file.Name != w.File {
			continue
		}
		var downloaded string
		problem := fmt.Errorf("%s of %s is %w: its SHA-256 digest is said to be %s, not %s, so it is not downloaded", w.File, file.Place, errDigest, file.SHA256, w.SHA256)
		if file.SHA256 == "" || file.SHA256 == w.SHA256 {
			downloaded, problem = d.download(ctx, w.File, file.URL, w.SHA256)
		}
		if problem == nil {
			return downloaded, nil
		}
		if err == nil {
			err = problem
		} else {
			err = fmt.Errorf("%w; %w", err, problem)
		}
		if !isAway(problem) && !errors.Is(problem, errDigest) {
			break // it would not go better with another place
		}
	}
	if err == nil {
		places := strings.Join(d.client.Places(), ", ")
		if places == "" {
			places = "there are none"
		}
		err = fmt.Errorf("%s %w (%s)", w.File, errNowhere, places)
	}
	return "", err
}

// release is the archive of a release.
func (d downloader) release(ctx context.Context, r release) (string, error) {
	name := path.Base(r.URL)
	if r.SHA256 == "" {
		return "", fmt.Errorf("%s is not downloaded: %w", r.URL, ErrNoDigest)
	}
	if file, here := d.cached(name, r.SHA256); here {
		return file, nil
	}
	return d.download(ctx, name, r.URL, r.SHA256)
}

// cached is a file that was downloaded before.
func (d downloader) cached(name, sum string) (string, bool) {
	file := filepath.Join(d.cache, name)
	here, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer here.Close()
	got, err := digest(io.Discard, here)
	return file, err == nil && got == sum
}

// download brings a file into the cache. What has another digest is removed.
func (d downloader) download(ctx context.Context, name, address, want string) (string, error) {
	response, err := d.client.Get(ctx, address, "")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	from := response.Request.URL.Redacted()
	to := filepath.Join(d.cache, name)
	part, err := os.Create(to + ".part")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name()) // which is in vain once it has its name
	sum, err := digest(part, &counted{response.Body, func(done int64) {
		if d.progress != nil {
			d.progress(name, done, response.ContentLength)
		}
	}, 0})
	if err = errors.Join(err, part.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", from, err)
	}
	if sum != want {
		return "", fmt.Errorf("%s is %w: its SHA-256 digest is %s, not %s, so the copy was removed", from, errDigest, sum, want)
	}
	return to, os.Rename(part.Name(), to)
}

func digest(to io.Writer, from io.Reader) (string, error) {
	hash := sha256.New()
	_, err := io.Copy(io.MultiWriter(to, hash), from)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// counted tells how much was read.
type counted struct {
	io.Reader
	tell func(done int64)
	done int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.done += int64(n)
	c.tell(c.done)
	return n, err
}
