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

// The name of a member's folder depends on its content, so members are never replaced. [Write] adds
// new members, then replaces the description, then removes the old members.

const (
	memberPrefix = "member-"
	memberDigits = 16
)

var memberName = regexp.MustCompile(`^` + memberPrefix + `[0-9a-f]{16}$`)

// MemberFolder returns the folder name of a member with a description. The description has the
// checksums of all its files.
func MemberFolder(description []byte) string {
	return memberPrefix + checksum(description)[:memberDigits]
}

// splitMembers separates the files of a model from those of each member.
func splitMembers(
	files map[string][]byte,
) (own map[string][]byte, members map[string]map[string][]byte) {
	own, members = map[string][]byte{}, map[string]map[string][]byte{}
	for path, content := range files {
		folder, name, isMember := strings.Cut(path, "/")
		switch {
		case !isMember:
			own[path] = content
		case members[folder] == nil:
			members[folder] = map[string][]byte{name: content}
		default:
			members[folder][name] = content
		}
	}
	return own, members
}

func writeWithMembers(
	dir string, own map[string][]byte, members map[string]map[string][]byte,
) error {
	if err := refuseData(dir); err != nil {
		return err
	}
	fill := func(dir string) error {
		for _, folder := range slices.Sorted(maps.Keys(members)) {
			path := filepath.Join(dir, folder)
			if hasFiles(path, members[folder]) {
				continue
			}
			err := atomicfile.WriteFolder(path, descriptionLast(members[folder]))
			if err != nil {
				return err
			}
		}
		return atomicfile.WriteAll(dir, descriptionLast(own))
	}
	if _, err := os.Stat(dir); err != nil {
		if err := atomicfile.Folder(dir, fill); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return atomicfile.WithLock(dir, func() error {
		before := checksums(dir)
		if err := fill(dir); err != nil {
			return err
		}
		if err := removeReplaced(dir, before, own); err != nil {
			return err
		}
		return removeMembers(dir, members)
	})
}

// checksums returns the checksums of the files of a model, by name, or nothing without a model.
func checksums(dir string) map[string]string {
	var d struct{ Checksums map[string]string }
	if text, err := inputfile.Read(filepath.Join(dir, Description)); err == nil {
		_ = json.Unmarshal(text, &d) // another file has no checksums
	}
	return d.Checksums
}

// removeReplaced removes files of the previous model that the new one lacks. It keeps files that
// differ from the previous description, because they belong to somebody else.
func removeReplaced(dir string, before map[string]string, own map[string][]byte) error {
	for name, sum := range before {
		if _, stays := own[name]; stays || filepath.Base(name) != name {
			continue
		}
		path := filepath.Join(dir, name)
		content, err := inputfile.Read(path)
		if err != nil || !strings.EqualFold(checksum(content), sum) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// hasFiles reports whether a folder has files with these contents.
func hasFiles(dir string, files map[string][]byte) bool {
	for name, want := range files {
		content, err := inputfile.Read(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(content, want) {
			return false
		}
	}
	return true
}

// removeMembers removes other members of a folder and leftovers of killed processes.
func removeMembers(dir string, members map[string]map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		isMember := e.IsDir() && memberName.MatchString(e.Name()) && isOnlyMember(path)
		if members[e.Name()] != nil || !isMember {
			continue
		}
		if err := atomicfile.RemoveFolder(path); err != nil {
			return err
		}
	}
	atomicfile.RemoveLeftovers(dir, memberName.MatchString)
	return nil
}

// isOnlyMember reports whether a folder has the name of its member and no other files.
func isOnlyMember(dir string) bool {
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
