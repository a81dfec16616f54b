package cluster

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"
)

// maxUnpacked is the largest size in bytes of data or a model.
const maxUnpacked = 1 << 36

// sentName returns the name of a file or a folder of data on the cluster. It keeps the endings of a
// file, because readers recognize formats by them, but not its own name: the same data may have other
// names elsewhere.
func sentName(source string) (string, error) {
	info, err := os.Stat(source)
	if err != nil || info.IsDir() {
		return "data", err
	}
	name := filepath.Base(source)
	ending := filepath.Ext(name)
	return "data" + filepath.Ext(strings.TrimSuffix(name, ending)) + ending, nil // as in .tsv.gz
}

// sendData sends a file or a folder to the cluster, unless it is there.
func (c *Cluster) sendData(ctx context.Context, d Data, source string) error {
	return c.sendOnce(ctx, c.data, d.object(), func(w io.Writer) error {
		return packFolder(w, source, d.Name)
	})
}

// object returns the name of the data in the store.
func (d Data) object() string { return d.Fingerprint + "." + d.Name }

// sendOnce sends an object in one piece, unless it is there and stays there for half of the time for
// which the cluster keeps objects.
func (c *Cluster) sendOnce(
	ctx context.Context, to jetstream.ObjectStore, name string, pack func(io.Writer) error,
) error {
	info, err := to.GetInfo(ctx, name)
	if err == nil && time.Since(info.ModTime) < c.keep/2 {
		return nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	reader, writer := io.Pipe()
	defer reader.Close()
	go func() { writer.CloseWithError(compress(writer, pack)) }()
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := &watchedReader{Reader: reader, idle: 6 * c.idle}
	watched.timer = time.AfterFunc(watched.idle, cancel)
	defer watched.timer.Stop()
	sent, err := to.Put(sending, jetstream.ObjectMeta{Name: name}, watched)
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
		defer cancel()
		c.removePart(ctx, to, name)
		return fmt.Errorf("send %s to the cluster: %w", name, err)
	}
	// A damaged store confirms messages that it does not keep. The receiver may have removed the object.
	_, err = to.GetInfo(ctx, name, jetstream.GetObjectInfoShowDeleted())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("send %s to the cluster: %w", name, withRemoval("OBJ_"+sent.Bucket))
	}
	return nil
}

// removePart removes an object that lacks a part of its content, which a failed Put may leave. It
// keeps a whole one, such as an earlier one or that of another sender.
func (c *Cluster) removePart(ctx context.Context, from jetstream.ObjectStore, name string) {
	info, err := from.GetInfo(ctx, name)
	if err != nil {
		return // it is not there, or nobody can tell
	}
	stream, err := c.js.Stream(ctx, "OBJ_"+info.Bucket)
	if err != nil {
		return
	}
	about, err := stream.Info(ctx, jetstream.WithSubjectFilter(chunks(info)))
	if err == nil && about.State.Subjects[chunks(info)] < uint64(info.Chunks) {
		from.Delete(ctx, name)
	}
}

// chunks returns the subject of the content of an object.
func chunks(o *jetstream.ObjectInfo) string { return subject("$O", o.Bucket, "C", o.NUID) }

// remove removes an object, also from a full store. Delete does not: it needs room for a message
// before it frees any.
func (c *Cluster) remove(ctx context.Context, from jetstream.ObjectStore, name string) error {
	info, err := from.GetInfo(ctx, name)
	if err != nil {
		return err
	}
	stream, err := c.js.Stream(ctx, "OBJ_"+info.Bucket)
	if err != nil {
		return err
	}
	if err := stream.Purge(ctx, jetstream.WithPurgeSubject(chunks(info))); err != nil {
		return err
	}
	return from.Delete(ctx, name)
}

// watchedReader calls the function of a timer when nothing is read for a time. Put waits for ever if
// the server stores nothing and its connection stays open.
type watchedReader struct {
	io.Reader
	idle  time.Duration
	timer *time.Timer
}

// Read implements [io.Reader].
func (r *watchedReader) Read(p []byte) (int, error) {
	r.timer.Reset(r.idle)
	return r.Reader.Read(p)
}

func compress(w io.Writer, pack func(io.Writer) error) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := pack(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

// patient is a context whose deadline is always the same time away. An object store applies the
// deadline to each read of an object, so a download may take long as long as bytes arrive.
type patient struct {
	context.Context
	idle time.Duration
}

// Deadline returns the deadline of the next read.
func (p patient) Deadline() (time.Time, bool) { return time.Now().Add(p.idle), true }

// receive reads an object as an archive, and calls visit with each file of it. It fails if no bytes
// arrive for the idle time of the cluster.
func (c *Cluster) receive(
	ctx context.Context, from jetstream.ObjectStore, name string,
	visit func(file string, content io.Reader) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opening := time.AfterFunc(c.idle, cancel)
	object, err := from.Get(patient{ctx, c.idle}, name)
	opening.Stop()
	if err != nil {
		return err
	}
	defer object.Close()
	z, err := zstd.NewReader(object, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	archive := tar.NewReader(io.LimitReader(z, maxUnpacked))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s from the cluster: %w", name, err)
		}
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(header.Name) {
			return fmt.Errorf("read %s from the cluster: unexpected entry %q", name, header.Name)
		}
		if err := visit(header.Name, archive); err != nil {
			return err
		}
	}
	// The digest is checked at the end of the object.
	if _, err := io.Copy(io.Discard, z); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, object)
	return err
}

// packFolder writes the regular files of a folder, or one file, as an archive below a name. It leaves
// out hidden files. An archive without files is an error: workers would keep it.
func packFolder(w io.Writer, root, below string) error {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	archive, files := tar.NewWriter(w), 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		isHidden := path != root && entry != nil && entry.Name()[0] == '.'
		switch {
		case err != nil:
			return err
		case isHidden && entry.IsDir():
			return fs.SkipDir
		case isHidden || entry.IsDir():
			return nil
		}
		info, err := os.Stat(path) // links lead to files
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files++
		return addFile(archive, filepath.Join(below, name), path, info.Size())
	})
	if err != nil {
		return err
	}
	if files == 0 {
		return &fs.PathError{Op: "send", Path: root, Err: errors.New("there are no files in it")}
	}
	return archive.Close()
}

func addFile(archive *tar.Writer, name, path string, size int64) error {
	header := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: size}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.CopyN(archive, file, size)
	return err
}

// pathIn returns the path of data in the folder where a worker keeps them.
func (d Data) pathIn(folder string) string { return filepath.Join(folder, d.object(), d.Name) }

// receiveData returns the path of data from the cluster, which it keeps in a folder for the next
// time. An interrupted transfer leaves nothing.
func (c *Cluster) receiveData(ctx context.Context, d Data, folder string) (path string, err error) {
	if !filepath.IsLocal(d.Name) || filepath.Base(d.Name) != d.Name {
		return "", fmt.Errorf("data with the name %q", d.Name)
	}
	if !filepath.IsLocal(d.Fingerprint) || filepath.Base(d.Fingerprint) != d.Fingerprint {
		return "", fmt.Errorf("data with the fingerprint %q", d.Fingerprint)
	}
	path = d.pathIn(folder)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(folder, ".part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	root, err := os.OpenRoot(part)
	if err != nil {
		return "", err
	}
	defer root.Close()
	err = c.receive(ctx, c.data, d.object(), func(file string, content io.Reader) error {
		if err := root.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		out, err := root.Create(file)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, content)
		return errors.Join(err, out.Close())
	})
	if err != nil {
		return "", fmt.Errorf("fetch the data %s: %w", d.Dataset, err)
	}
	if err := os.Rename(part, filepath.Dir(path)); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, nil
}

// sendArtifact sends the files of a model.
func (c *Cluster) sendArtifact(ctx context.Context, key string, files map[string][]byte) error {
	return c.sendOnce(ctx, c.artifacts, key, func(w io.Writer) error {
		archive := tar.NewWriter(w)
		for name, content := range files {
			header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}
			if err := archive.WriteHeader(header); err != nil {
				return err
			}
			if _, err := archive.Write(content); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// fetchArtifact returns the files of a model that a worker sent.
func (c *Cluster) fetchArtifact(ctx context.Context, key string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := c.receive(ctx, c.artifacts, key, func(file string, content io.Reader) error {
		var err error
		files[file], err = io.ReadAll(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}
