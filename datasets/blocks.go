package datasets

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"
)

// blockSize is the number of bytes that are parsed together. What a block needs fits in the L2
// cache.
const blockSize = 512 << 10

// block is a part of a file of triples: whole lines, except possibly at the end of the file.
type block struct {
	text string
	err  error // of the source, after the text

	parsed    chan struct{} // closed when the fields below are set
	isPlain   bool          // all lines are triples; otherwise the fields below are meaningless
	triples   []Triple      // with the ids of the block
	entities  labelIDs
	relations labelIDs
	head      string // of the last triple
	headID    int32
}

var blocks = sync.Pool{New: func() any { return new(block) }}

// free returns the memory of a block that is no longer used.
func (b *block) free() {
	b.text, b.head, b.triples = "", "", b.triples[:0]
	b.entities.reset()
	b.relations.reset()
	blocks.Put(b)
}

// parseBlocks reads a source and sends its blocks in order, while they are parsed. It ends early
// when stop is closed.
func parseBlocks(source io.Reader, stop <-chan struct{}) <-chan *block {
	ordered := make(chan *block, runtime.GOMAXPROCS(0))
	go func() {
		defer close(ordered)
		buffer := make([]byte, blockSize)
		for rest, isFirst := 0, true; ; isFirst = false {
			n, err := rest, error(nil)
			for read := 0; n < len(buffer) && err == nil; n += read {
				read, err = source.Read(buffer[n:])
			}
			data := buffer[:n]
			if err == nil { // a block without a line end is not plain
				data = data[:1+bytes.LastIndexByte(data, '\n')]
				if len(data) == 0 {
					data = buffer
				}
			}
			b := blocks.Get().(*block)
			b.text, b.err, b.parsed = string(data), err, make(chan struct{})
			isLast := err == io.EOF
			if isLast {
				b.err = nil
			}
			go b.parse(isFirst, isLast)
			select {
			case ordered <- b:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
			rest = copy(buffer, buffer[len(data):])
		}
	}()
	return ordered
}

// parse parses the lines of a block. It may be the first or the last one of the file.
func (b *block) parse(isFirst, isLast bool) {
	defer close(b.parsed)
	text := b.text
	if isFirst {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	isWhole := isLast || strings.HasSuffix(text, "\n")
	b.isPlain = isWhole && b.err == nil && utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 &&
		!strings.Contains(text, "\uFEFF")
	hasReturns := strings.IndexByte(text, '\r') >= 0
	for b.isPlain && len(text) > 0 {
		line := text
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			text = ""
		} else {
			line, text = text[:end], text[end+1:]
		}
		if hasReturns {
			line = strings.TrimSuffix(line, "\r")
			b.isPlain = strings.IndexByte(line, '\r') < 0
		}
		b.isPlain = b.isPlain && b.addLine(line)
	}
}

// addLine adds the triple of a line. It returns false if the line is not one.
func (b *block) addLine(line string) bool {
	headEnd := strings.IndexByte(line, '\t')
	tailStart := 1 + strings.LastIndexByte(line, '\t')
	if headEnd < 1 || tailStart < headEnd+3 || tailStart == len(line) {
		return false
	}
	head, relation, tail := line[:headEnd], line[headEnd+1:tailStart-1], line[tailStart:]
	if strings.IndexByte(relation, '\t') >= 0 {
		return false
	}
	if head[0] == '"' || relation[0] == '"' || tail[0] == '"' {
		head, relation, tail = unquote(head, relation, tail)
		if head == "" || relation == "" || tail == "" {
			return false
		}
	}
	var t Triple
	if head != b.head { // many files are sorted by head
		b.head = head
		b.headID, _ = b.entities.find(head, hashOf(head))
	}
	t.Head = b.headID
	t.Relation, _ = b.relations.find(relation, hashOf(relation))
	t.Tail, _ = b.entities.find(tail, hashOf(tail))
	b.triples = append(b.triples, t)
	return true
}

// merge returns the triples of a block with the ids of a graph, which get the labels that are new.
func (l *graphLabels) merge(b *block) []Triple {
	entities, relations := l.entities.merge(&b.entities), l.relations.merge(&b.relations)
	triples := make([]Triple, len(b.triples))
	for i, t := range b.triples {
		triples[i] = Triple{entities[t.Head], relations[t.Relation], entities[t.Tail]}
	}
	return triples
}

// merge returns the ids of the labels of others.
func (l *labelIDs) merge(others *labelIDs) []int32 {
	ids, before := make([]int32, len(others.labels)), len(l.labels)
	for i, label := range others.labels {
		ids[i], _ = l.find(label, others.hashes[i])
	}
	l.copyFrom(before)
	return ids
}

// restOf reads the text of a block and of those after it.
type restOf struct {
	text   string
	err    error
	blocks <-chan *block
}

// Read implements [io.Reader].
func (r *restOf) Read(p []byte) (int, error) {
	for r.text == "" {
		if r.err != nil {
			return 0, r.err
		}
		next, found := <-r.blocks
		if !found {
			return 0, io.EOF
		}
		r.text, r.err = next.text, next.err
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}
