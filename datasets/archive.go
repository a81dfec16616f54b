package datasets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// splitNames lists the splits in the order in which they are read.
var splitNames = []string{"train", "valid", "test"}

// maxUnpacked limits the bytes of an archive's content: those of all members for .tar.gz, those
// of a split for .zip. The training file of FB15k has 38 MB.
const maxUnpacked = 1 << 30

// unpackSplits returns train.txt, valid.txt and test.txt of an archive (.tar.gz or .zip, told
// apart by their first bytes) with LF line ends.
//
// It matches members by the end of their base name: train.txt, x-train.txt and x_train.txt are
// all train. It refuses an archive that has a split twice.
func unpackSplits(archive []byte) (map[string][]byte, error) {
	u := unpacker{}
	var err error
	switch {
	case bytes.HasPrefix(archive, []byte("\x1f\x8b")):
		err = u.tarGzip(archive)
	case bytes.HasPrefix(archive, []byte("PK\x03\x04")):
		err = u.zip(archive)
	default:
		return nil, errors.New("the download is neither a .tar.gz nor a .zip archive; " +
			"it may be a web page with an error message")
	}
	if err != nil {
		return nil, err
	}
	for _, split := range splitNames {
		if _, found := u[split]; !found {
			return nil, fmt.Errorf("the archive has no %s.txt", split)
		}
	}
	return u, nil
}

// unpacker holds the content of the splits.
type unpacker map[string][]byte

func (u unpacker) tarGzip(archive []byte) error {
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	members := tar.NewReader(limited(unpacked, archive))
	for {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the archive is damaged: %w", err)
		}
		if err := u.add(header.Name, members); err != nil {
			return err
		}
	}
}

func (u unpacker) zip(archive []byte) error {
	unpacked, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	for _, member := range unpacked.File {
		content, err := member.Open()
		if err != nil {
			return fmt.Errorf("the archive is damaged: %q: %w", member.Name, err)
		}
		err = u.add(member.Name, limited(content, archive))
		content.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// limited limits what an archive unpacks to, counted while reading.
func limited(unpacked io.Reader, archive []byte) io.Reader {
	return inputfile.Limit(unpacked, min(maxUnpacked, inputfile.MaxDecompressed(int64(len(archive)))))
}

// add reads a member if it is a split.
func (u unpacker) add(name string, content io.Reader) error {
	split, isSplit := splitOfMember(name)
	if !isSplit {
		return nil
	}
	if _, found := u[split]; found {
		return fmt.Errorf("the archive holds several data sets: %q is another %s.txt", name, split)
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return fmt.Errorf("the archive is damaged: %q: %w", name, err)
	}
	u[split] = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
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

// verify returns an error if a split differs from that of the benchmark.
func (b Benchmark) verify(splits map[string][]byte) error {
	for i, split := range splitNames {
		if sum := digest(splits[split], len(b.Sums[i])); sum != b.Sums[i] {
			return fmt.Errorf("%s.txt is not the file of %s: its digest is %s, not %s",
				split, b.Name, sum, b.Sums[i])
		}
	}
	return nil
}

// digest returns the SHA-256 digest of a text, or with 40 digits its git blob id: the SHA-1 of
// "blob ", the size, a NUL byte and the text.
func digest(text []byte, digits int) string {
	if digits == 2*sha1.Size {
		return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)))
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
