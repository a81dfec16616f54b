package backend

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

// pin is a file to download, and the digest without which it is not used: "" where none
// is known.
type pin struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

// pinsJSON are the files of each plugin, which the command in folder pin looks up.
//
//go:embed pins.json
var pinsJSON []byte

func pinned() map[string][]pin {
	var all map[string][]pin
	if err := json.Unmarshal(pinsJSON, &all); err != nil {
		panic(err) // it is embedded
	}
	return all
}

// The errors of downloads.
var (
	// ErrNoDigest marks a download whose right content is not known.
	ErrNoDigest = errors.New("no SHA-256 digest of it is pinned")
	errDigest   = errors.New("not what was pinned")
)

// InstallOptions are what [Install] can be told. The zero value is fine.
type InstallOptions struct {
	// SHA256 is the digest of a plugin of a single file for which none is pinned.
	SHA256 string
	// Progress is called with the name of a file, the bytes that are here and its size,
	// -1 where that is not known.
	Progress func(name string, done, total int64)
}

// with gives a plugin of one file the digest that the user has, if any.
func (o InstallOptions) with(what string, pins []pin) ([]pin, error) {
	given := strings.ToLower(strings.TrimPrefix(o.SHA256, "sha256:"))
	if given == "" {
		return pins, nil
	}
	if sum, err := hex.DecodeString(given); err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("%q is no SHA-256 digest, which has %d hexadecimal digits", o.SHA256, 2*sha256.Size)
	}
	if len(pins) != 1 || pins[0].SHA256 != "" && pins[0].SHA256 != given {
		return nil, fmt.Errorf("the digests of the plugin %s are pinned: leave the other one out", what)
	}
	return []pin{{pins[0].URL, given}}, nil
}

// fetch downloads the files of a plugin into a cache, all of them before anything is
// installed, and puts them into the folder of plugins.
func (o InstallOptions) fetch(ctx context.Context, what, folder, cache string, pins []pin) error {
	pins, err := o.with(what, pins)
	if err != nil {
		return err
	}
	for _, p := range pins {
		if p.SHA256 == "" {
			return fmt.Errorf("%s is not downloaded: %w", p.URL, ErrNoDigest)
		}
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	var files []string
	for _, p := range pins {
		file, err := o.download(ctx, p, cache)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	put := putCUDA
	if what == "cpu" {
		put = putCPU
	}
	if err := put(ctx, folder, files); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// download brings a file into the cache, or finds it there. What has another digest is
// removed.
func (o InstallOptions) download(ctx context.Context, p pin, cache string) (string, error) {
	name := path.Base(p.URL)
	to := filepath.Join(cache, name)
	if here, err := os.Open(to); err == nil {
		sum, err := digest(io.Discard, here)
		here.Close()
		if err == nil && sum == p.SHA256 {
			return to, nil
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: the server says %s", p.URL, response.Status)
	}
	part, err := os.Create(to + ".part")
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name()) // which is in vain once it has its name
	sum, err := digest(part, &counted{response.Body, func(done int64) {
		if o.Progress != nil {
			o.Progress(name, done, response.ContentLength)
		}
	}, 0})
	if err = errors.Join(err, part.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", p.URL, err)
	}
	if sum != p.SHA256 {
		return "", fmt.Errorf("%s is %w: its SHA-256 digest is %s, not %s, so it was removed", p.URL, errDigest, sum, p.SHA256)
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

// putCPU unpacks the archive of the plugin for the CPU as go-xla's installer does.
func putCPU(_ context.Context, folder string, files []string) error {
	fresh, err := freshFolder(folder, ".cpu-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if _, err := installer.Untar(files[0], fresh); err != nil {
		return err
	}
	plugins, err := fs.Glob(os.DirFS(fresh), "pjrt_c_api_cpu_*_plugin.so") // the folder's own name is no pattern
	if err != nil || len(plugins) != 1 {
		return fmt.Errorf("%s holds %d plugins pjrt_c_api_cpu_*_plugin.so instead of one (%v)", filepath.Base(files[0]), len(plugins), err)
	}
	name := plugins[0]
	if err := os.Rename(filepath.Join(fresh, name), filepath.Join(folder, name)); err != nil {
		return err
	}
	return link(name, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"))
}

// putCUDA unpacks the wheels of Jax's plugin, the first, and of NVIDIA's libraries, where
// go-xla's installer would: the plugin finds its libraries beside itself.
func putCUDA(ctx context.Context, folder string, files []string) error {
	fresh, err := freshFolder(folder, ".nvidia-new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := installer.ExtractFileFromZip(files[0], "xla_cuda_plugin.so", filepath.Join(fresh, "pjrt_c_api_cuda_plugin.so")); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(files[0]), err)
	}
	for _, file := range files[1:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := installer.ExtractDirFromZip(file, "nvidia", fresh); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	if err := os.MkdirAll(filepath.Join(fresh, "bin"), 0o755); err != nil {
		return err
	}
	for _, compiler := range []string{"cu13/bin/ptxas", "cuda_nvcc/bin/ptxas"} {
		if _, err := os.Stat(filepath.Join(fresh, compiler)); err == nil {
			if err := link("../"+compiler, filepath.Join(fresh, "bin", "ptxas")); err != nil {
				return err
			}
			break
		}
	}
	for _, library := range []string{"libcublasLt.so.13", "libcublas.so.13"} { // which NVIDIA's own search misses
		inside := filepath.Join("cu13", "lib", library)
		if _, err := os.Stat(filepath.Join(fresh, inside)); err != nil {
			continue
		}
		if err := link(filepath.Join(filepath.Base(folder), "nvidia", inside), filepath.Join(filepath.Dir(folder), library)); err != nil {
			return err
		}
	}
	there := filepath.Join(folder, "nvidia")
	if err := os.RemoveAll(there); err != nil {
		return err
	}
	return os.Rename(fresh, there)
}

// freshFolder is an empty folder, without what an interrupted call has left in it.
func freshFolder(in, name string) (string, error) {
	fresh := filepath.Join(in, name)
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	return fresh, os.Mkdir(fresh, 0o755)
}

func link(to, at string) error {
	if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(to, at)
}
