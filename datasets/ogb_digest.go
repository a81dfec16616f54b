package datasets

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/internal/torchfile"
	"golang.org/x/sync/errgroup"
)

// ogbSize returns the size of the splits of a folder of OGB.
func ogbSize(dir string) (size int64) {
	for _, split := range splitNames {
		if info, err := os.Stat(filepath.Join(ogbSplit(dir), split+".pt")); err == nil {
			size += info.Size()
		}
	}
	return size
}

// digestOGB digests all that [readOGB] reads of a folder. Negatives, which may be far larger, are not
// read.
func digestOGB(key io.Writer, dir string) error {
	var digests [3]hash.Hash
	var splits errgroup.Group
	for i, split := range splitNames {
		digests[i] = sha256.New()
		splits.Go(func() error {
			return digestOGBSplit(digests[i], filepath.Join(ogbSplit(dir), split+".pt"))
		})
	}
	if err := splits.Wait(); err != nil {
		return err
	}
	for _, digest := range digests {
		fmt.Fprintf(key, "%x\n", digest.Sum(nil))
	}
	for _, folder := range []string{"mapping", "raw"} {
		entries, _ := os.ReadDir(filepath.Join(dir, folder)) // either may be missing
		for _, entry := range entries {
			name := entry.Name()
			if entry.IsDir() || folder == "raw" && !strings.HasPrefix(name, "num-node-") {
				continue
			}
			digest, err := digestOf(filepath.Join(dir, folder, name))
			if err != nil {
				return err
			}
			fmt.Fprintln(key, folder, name, digest)
		}
	}
	return nil
}

// digestOGBSplit digests the triples of a split and the types of their ends.
func digestOGBSplit(key io.Writer, path string) error {
	file, err := openOGB(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, name := range []string{"head", "head_type", "relation", "tail", "tail_type"} {
		fmt.Fprintln(key, name)
		switch value := file.get(name).(type) {
		case *torchfile.Tensor:
			if err := value.WriteContent(key); err != nil {
				return err
			}
		case *torchfile.List:
			for _, item := range value.Items {
				fmt.Fprintf(key, "%q\n", item)
			}
		}
	}
	return nil
}
