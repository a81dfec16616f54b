package datasets

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// unpackLimits bound what an archive may unpack to, counted while reading.
type unpackLimits struct {
	member int64 // bytes of one split
	total  int64 // bytes of all that is unpacked
}

// archiveLimits are far above the needs of the registry: the training file of FB15k has
// 38 MB. total counts every member of a tar archive, not only the splits.
// [inputfile.MaxDecompressed] adds a limit relative to the size of the archive.
var archiveLimits = unpackLimits{member: 512 << 20, total: 4 << 30}

// unpackSplits writes train.txt, valid.txt and test.txt of an archive (.tar.gz
// or .zip, told apart by their first bytes) into a folder, with LF line ends.
//
// It matches members by the end of their base name: train.txt, x-train.txt and
// x_train.txt are all train. It refuses an archive that has a split twice, a member
// outside the folder, a link, or more data than the limits allow.
func unpackSplits(archive, dir string, limits unpackLimits) error {
	file, err := inputfile.Open(archive)
	if err != nil {
		return &localError{err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return &localError{err}
	}
	limits.total = min(limits.total, inputfile.MaxDecompressed(info.Size()))
	u := &unpacker{dir: dir, limits: limits, found: make(map[string]string)}
	magic := make([]byte, 4)
	if _, err := io.ReadFull(file, magic); err != nil {
		return errors.New("the download is empty or too short for an archive")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return &localError{err}
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		err = u.tarGzip(file)
	case bytes.Equal(magic, []byte("PK\x03\x04")):
		err = u.zip(file)
	default:
		return errors.New("the download is neither a .tar.gz nor a .zip archive; " +
			"it may be a web page with an error message")
	}
	if err != nil {
		return err
	}
	for _, split := range splitNames {
		if u.found[split] == "" {
			return fmt.Errorf("the archive has no %s.txt", split)
		}
	}
	return nil
}

type unpacker struct {
	dir    string
	limits unpackLimits
	read   int64             // bytes unpacked up to now
	found  map[string]string // member by split
}

func (u *unpacker) tarGzip(file io.Reader) error {
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	members := tar.NewReader(&countingReader{source: unpacked, count: &u.read, limit: u.limits.total})
	for {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive is damaged: %w", err)
		}
		switch header.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeXGlobalHeader:
		default:
			return fmt.Errorf("the archive is refused: %q is a link or a device", header.Name)
		}
		if err := checkMember(header.Name); err != nil {
			return err
		}
		if header.Typeflag == tar.TypeReg {
			open := func() (io.ReadCloser, error) { return io.NopCloser(members), nil }
			if err := u.member(header.Name, open); err != nil {
				return err
			}
		}
	}
}

func (u *unpacker) zip(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return &localError{err}
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	for _, member := range archive.File {
		if mode := member.Mode(); !mode.IsRegular() && !mode.IsDir() {
			return fmt.Errorf("the archive is refused: %q is a link or a device", member.Name)
		}
		if err := checkMember(member.Name); err != nil {
			return err
		}
		if member.Mode().IsDir() {
			continue
		}
		err := u.member(member.Name, func() (io.ReadCloser, error) {
			content, err := member.Open()
			if err != nil {
				return nil, err
			}
			return struct {
				io.Reader
				io.Closer
			}{&countingReader{source: content, count: &u.read, limit: u.limits.total}, content}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// member writes the member's content if it is a split.
func (u *unpacker) member(name string, open func() (io.ReadCloser, error)) error {
	split, isSplit := splitOfMember(name)
	if !isSplit {
		return nil
	}
	if other := u.found[split]; other != "" {
		return fmt.Errorf("the archive holds several data sets: both %q and %q", other, name)
	}
	u.found[split] = name
	content, err := open()
	if err != nil {
		return fmt.Errorf("the archive is damaged: %q: %w", name, err)
	}
	defer content.Close()
	out, err := os.Create(filepath.Join(u.dir, split+".txt"))
	if err != nil {
		return &localError{err}
	}
	defer out.Close()
	var size int64
	limited := &countingReader{source: content, count: &size, limit: u.limits.member}
	buffered := bufio.NewWriter(out)
	err = copyLF(buffered, bufio.NewReader(limited))
	var local *localError
	if errors.As(err, &local) {
		return err
	}
	if err != nil {
		return fmt.Errorf("the archive is damaged: %q: %w", name, err)
	}
	if err := errors.Join(buffered.Flush(), out.Sync()); err != nil {
		return &localError{err}
	}
	return nil
}

// checkMember refuses names that lead out of the folder. No file is written under a
// member's own path, but such an archive is malicious.
func checkMember(name string) error {
	if local := strings.ReplaceAll(name, `\`, "/"); !filepath.IsLocal(local) {
		return fmt.Errorf("the archive is refused: its member %q points out of the folder", name)
	}
	return nil
}

func splitOfMember(name string) (split string, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if strings.HasPrefix(base, ".") {
		return "", false // "._train.txt": file attributes from macOS
	}
	for _, split := range splitNames {
		file := split + ".txt"
		if base == file || strings.HasSuffix(base, "-"+file) || strings.HasSuffix(base, "_"+file) {
			return split, true
		}
	}
	return "", false
}

// countingReader fails once all readers with the same count have read more than limit
// bytes together.
type countingReader struct {
	source io.Reader
	count  *int64
	limit  int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.source.Read(p)
	*r.count += int64(n)
	if *r.count > r.limit {
		return 0, fmt.Errorf(
			"it unpacks to more than %d bytes, the limit for an archive of its size", r.limit)
	}
	return n, err
}
