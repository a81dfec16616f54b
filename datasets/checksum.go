package datasets

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// splitNames lists the splits in the order in which they are read.
var splitNames = []string{"train", "valid", "test"}

// sum returns the digest that the named split must have.
func (b Benchmark) sum(split string) string {
	switch split {
	case "train":
		return b.TrainSum
	case "valid":
		return b.ValidSum
	default:
		return b.TestSum
	}
}

// verify returns an error unless the folder has exactly the benchmark's three splits.
func (b Benchmark) verify(dir string) error {
	for _, split := range splitNames {
		path := filepath.Join(dir, split+".txt")
		want := b.sum(split)
		sum, err := digest(path, len(want))
		if err != nil {
			return err
		}
		if sum != want {
			return fmt.Errorf("%s.txt is not the file of %s: its digest is %s, not %s",
				split, b.Name, sum, want)
		}
	}
	return nil
}

// blobDigits is the number of hexadecimal digits of a git blob id.
const blobDigits = 2 * sha1.Size

// digest returns the SHA-256 digest of a file. If digits equals blobDigits it returns the git
// blob id: the SHA-1 of "blob ", the size, a NUL byte and the content.
func digest(path string, digits int) (string, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	if digits == blobDigits {
		hash = sha1.New()
		fmt.Fprintf(hash, "blob %d\x00", info.Size())
	}
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// copyLF copies text and turns CRLF into LF.
func copyLF(to *bufio.Writer, from io.ByteReader) error {
	held := false // a carriage return was read but not written yet
	for {
		c, err := from.ReadByte()
		if held && (err != nil || c != '\n') {
			if err := to.WriteByte('\r'); err != nil {
				return &localError{err}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if held = c == '\r'; held {
			continue
		}
		if err := to.WriteByte(c); err != nil {
			return &localError{err}
		}
	}
}

// localError is a failure of this machine, such as a full disk. Trying another address
// does not help.
type localError struct{ cause error }

func (e *localError) Error() string { return e.cause.Error() }
func (e *localError) Unwrap() error { return e.cause }
