package datasets

import (
	"hash/maphash"
	"strings"
)

// graphLabels numbers the labels of a graph while it is read.
type graphLabels struct {
	entities, relations labelIDs
	titles              [3]string // of a file
	warnings            []string
}

func newLabels() *graphLabels { return &graphLabels{} }

// labelIDs numbers labels in the order of their first appearance. It is a hash table with open
// addressing, because lookups take most of the time of reading and a map takes twice as long.
type labelIDs struct {
	labels []string
	hashes []uint32 // by id
	slots  []uint64 // a hash, and in the lower half an id + 1; 0 is free
}

// id returns the id of a label.
func (l *labelIDs) id(label string) int32 {
	id, isNew := l.find(label, hashOf(label))
	if isNew {
		l.copyFrom(int(id))
	}
	return id
}

// find returns the id of a label. A new label is kept as it is; see copyFrom.
func (l *labelIDs) find(label string, hash uint32) (id int32, isNew bool) {
	if 2*len(l.labels) >= len(l.slots) {
		l.grow()
	}
	mask := uint32(len(l.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch slot := l.slots[at]; {
		case slot == 0:
			l.labels = append(l.labels, label)
			l.hashes = append(l.hashes, hash)
			l.slots[at] = slotOf(hash, len(l.labels))
			return int32(len(l.labels) - 1), true
		case uint32(slot>>32) == hash && l.labels[uint32(slot)-1] == label:
			return int32(uint32(slot) - 1), false
		}
	}
}

func slotOf(hash uint32, number int) uint64 { return uint64(hash)<<32 | uint64(number) }

func (l *labelIDs) grow() {
	l.slots = make([]uint64, max(64, 2*len(l.slots)))
	mask := uint32(len(l.slots) - 1)
	for id, hash := range l.hashes {
		at := hash & mask
		for l.slots[at] != 0 {
			at = (at + 1) & mask
		}
		l.slots[at] = slotOf(hash, id+1)
	}
}

// copyFrom copies the labels from an id on. The text that they are parts of can then be freed.
func (l *labelIDs) copyFrom(id int) {
	if id == len(l.labels)-1 { // strings.Join would return the label itself
		l.labels[id] = strings.Clone(l.labels[id])
		return
	}
	rest := strings.Join(l.labels[id:], "")
	for i, label := range l.labels[id:] {
		l.labels[id+i], rest = rest[:len(label)], rest[len(label):]
	}
}

// reset removes all labels and keeps the memory.
func (l *labelIDs) reset() {
	clear(l.labels)
	clear(l.slots)
	l.labels, l.hashes = l.labels[:0], l.hashes[:0]
}

var labelSeed = maphash.MakeSeed()

func hashOf(label string) uint32 { return uint32(maphash.String(labelSeed, label)) }
