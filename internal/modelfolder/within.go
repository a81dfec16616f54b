package modelfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/inputfile"
)

// A model within the folder of another has a name that its content gives it, so nothing
// that a description speaks of is ever replaced: new ones come beside the old, the
// description takes their place at once, and then the old ones go.

const (
	memberPrefix = "member-"
	memberDigits = 16
)

var memberName = regexp.MustCompile(`^` + memberPrefix + `[0-9a-f]{16}$`)

// MemberFolder is what the folder of a model is called within that of another, by the
// description of the former, which tells all its files by their checksums.
func MemberFolder(description []byte) string {
	return memberPrefix + checksum(description)[:memberDigits]
}

// apart are the files of a model itself, and those of each model within.
func apart(files map[string][]byte) (own map[string][]byte, within map[string]map[string][]byte) {
	own, within = map[string][]byte{}, map[string]map[string][]byte{}
	for path, content := range files {
		folder, name, is := strings.Cut(path, "/")
		switch {
		case !is:
			own[path] = content
		case within[folder] == nil:
			within[folder] = map[string][]byte{name: content}
		default:
			within[folder][name] = content
		}
	}
	return own, within
}

func writeWithin(dir string, own map[string][]byte, within map[string]map[string][]byte) error {
	fill := func(dir string) error {
		for _, folder := range slices.Sorted(maps.Keys(within)) {
			if path := filepath.Join(dir, folder); !holds(path, within[folder]) {
				if err := atomicfile.WriteFolder(path, inOrder(within[folder])); err != nil {
					return err
				}
			}
		}
		return atomicfile.WriteAll(dir, inOrder(own))
	}
	if _, err := os.Stat(dir); err != nil {
		if err := atomicfile.Folder(dir, fill); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return atomicfile.Alone(dir, func() error {
		before := sumsOf(dir)
		if err := fill(dir); err != nil {
			return err
		}
		if err := removeReplaced(dir, before, own); err != nil {
			return err
		}
		return removeMembers(dir, within)
	})
}

// sumsOf are the checksums of the files of a model, by name; none where there is no model.
func sumsOf(dir string) map[string]string {
	var d struct{ Checksums map[string]string }
	if text, err := inputfile.Read(filepath.Join(dir, Description)); err == nil {
		_ = json.Unmarshal(text, &d) // what is no model has none
	}
	return d.Checksums
}

// removeReplaced removes files of a model that a folder had, which are no part of the one that it
// has now. What is not as that model's description told is somebody else's.
func removeReplaced(dir string, before map[string]string, own map[string][]byte) error {
	for name, sum := range before {
		if _, stays := own[name]; stays || filepath.Base(name) != name {
			continue
		}
		path := filepath.Join(dir, name)
		if content, err := inputfile.Read(path); err != nil || !strings.EqualFold(checksum(content), sum) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether a folder has these files already.
func holds(dir string, files map[string][]byte) bool {
	for name, want := range files {
		if content, err := inputfile.Read(filepath.Join(dir, name)); err != nil || !bytes.Equal(content, want) {
			return false
		}
	}
	return true
}

// removeMembers removes models within that a folder has no more, and what killed processes
// left of such.
func removeMembers(dir string, within map[string]map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); within[e.Name()] == nil && e.IsDir() && memberName.MatchString(e.Name()) && onlyMember(path) {
			if err := atomicfile.RemoveFolder(path); err != nil {
				return err
			}
		}
	}
	atomicfile.RemoveLeftovers(dir, memberName.MatchString)
	return nil
}

// onlyMember says whether a folder is that of a model within, which its name tells, and has
// nothing else.
func onlyMember(dir string) bool {
	text, err := inputfile.Read(filepath.Join(dir, Description))
	if err != nil || MemberFolder(text) != filepath.Base(dir) {
		return false
	}
	var d struct{ Checksums map[string]string }
	if json.Unmarshal(text, &d) != nil {
		return false
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if _, own := d.Checksums[e.Name()]; !own && e.Name() != Description {
			return false
		}
	}
	return err == nil
}
