package torchfile

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// File is an open file. Its tensors read their numbers from it on demand.
type File struct {
	// Value is the saved object: nil, a bool, int64, float64, string, []byte, Tuple, *List, *Dict,
	// *Tensor or *Object.
	Value  any
	closer io.Closer
}

// Open opens a file that torch.save wrote. Classes with a name in accept, or with a name that begins
// with an element of accept that ends in a dot, become objects; others are an error.
func Open(name string, accept ...string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var value any
	if err == nil {
		value, err = Read(file, info.Size(), accept...)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{value, file}, nil
}

// Close closes the file. Tensors cannot be read any more.
func (f *File) Close() error { return f.closer.Close() }

// Read reads the object in a file of a size, like [Open]. The use of memory depends on the size of
// the file, not on the sizes that its content claims.
func Read(file io.ReaderAt, size int64, accept ...string) (any, error) {
	start := make([]byte, 4)
	if _, err := file.ReadAt(start, 0); err != nil {
		return nil, errors.New("the file is too short for one of torch.save")
	}
	if string(start) == "PK\x03\x04" {
		return readZip(file, size, accept)
	}
	return readLegacy(file, size, accept)
}

// storage is a block of numbers in a file.
type storage struct {
	kind   string
	number int // of numbers
	bytes  io.ReaderAt
}

// loader returns a storage by the fields of its persistent id.
type loader func(kind, key string, numbers int) (*storage, error)

func readZip(file io.ReaderAt, size int64, accept []string) (any, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("the file is not complete: %w", err)
	}
	members := map[string]*zip.File{}
	prefix := ""
	for _, f := range archive.File {
		members[f.Name] = f
		if path.Base(f.Name) == "data.pkl" {
			prefix = strings.TrimSuffix(f.Name, "data.pkl")
		}
	}
	open := func(name string) (*io.SectionReader, error) {
		member, found := members[prefix+name]
		if !found {
			return nil, fmt.Errorf("the archive has no %s: was it written by torch.save?", name)
		}
		// PyTorch never compresses. A compressed file could be far larger than its archive.
		if member.Method != zip.Store || member.UncompressedSize64 > uint64(size) {
			return nil, fmt.Errorf("%s in the archive is compressed: save it with torch.save", name)
		}
		start, err := member.DataOffset()
		if err != nil {
			return nil, err
		}
		return io.NewSectionReader(file, start, int64(member.UncompressedSize64)), nil
	}
	if order, err := open("byteorder"); err == nil {
		text, err := io.ReadAll(order)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(string(text)) == "big" {
			return nil, errors.New("the numbers are big-endian: only little-endian ones can be read")
		}
	}
	pickle, err := open("data.pkl")
	if err != nil {
		return nil, err
	}
	load := func(kind, key string, numbers int) (*storage, error) {
		section, err := open("data/" + key)
		if err != nil {
			return nil, err
		}
		if section.Size()/int64(sizes[kind]) < int64(numbers) {
			return nil, fmt.Errorf("storage %s has fewer numbers than it claims", key)
		}
		return &storage{kind, numbers, section}, nil
	}
	value, _, err := unpickle(pickle, 0, pickle.Size(), accept, load)
	return value, err
}

// The constants at the start of a file before PyTorch 1.6.
const (
	legacyMagic   = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"
	legacyVersion = 1001
)

var errOther = errors.New("not a file of torch.save: save a model with " +
	"torch.save(model.state_dict(), FILE)")

// readLegacy reads a sequence of pickles: the magic, the version, information on the machine, the
// object, and the keys of its storages. The storages follow, each with its number of numbers.
func readLegacy(file io.ReaderAt, size int64, accept []string) (any, error) {
	// Its parts have no table of contents. Pickles come first; the storages stay in the file.
	at := int64(0)
	next := func(load loader) (value any, err error) {
		value, at, err = unpickle(file, at, size, accept, load)
		return value, err
	}
	if magic, err := next(nil); err != nil || magic != legacyMagic {
		return nil, errOther
	}
	if version, err := next(nil); err != nil || version != int64(legacyVersion) {
		return nil, errOther
	}
	if _, err := next(nil); err != nil {
		return nil, err
	}
	found := map[string]*storage{}
	value, err := next(func(kind, key string, numbers int) (*storage, error) {
		if found[key] == nil {
			found[key] = &storage{kind: kind, number: numbers}
		}
		return found[key], nil
	})
	if err != nil {
		return nil, err
	}
	keys, err := next(nil)
	if err != nil {
		return nil, err
	}
	list, isList := keys.(*List)
	if !isList {
		return nil, errOther
	}
	count := make([]byte, 8)
	for _, key := range list.Items {
		name, _ := key.(string)
		s := found[name]
		if s == nil || s.bytes != nil {
			return nil, fmt.Errorf("the storage %q is listed, but not used once", name)
		}
		if size-at < 8 {
			return nil, io.ErrUnexpectedEOF
		}
		if _, err := file.ReadAt(count, at); err != nil {
			return nil, err
		}
		numbers := int64(binary.LittleEndian.Uint64(count))
		length := numbers * int64(sizes[s.kind])
		at += 8
		if numbers < int64(s.number) || numbers > size || length > size-at {
			return nil, fmt.Errorf("storage %s is not complete", name)
		}
		s.bytes = io.NewSectionReader(file, at, length)
		at += length
	}
	for key, s := range found {
		if s.bytes == nil {
			return nil, fmt.Errorf("storage %s is missing", key)
		}
	}
	return value, nil
}
