package datasets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
)

// cacheFormat is the beginning of a file in the cache. Another format has another number.
const cacheFormat = "autoblm graph 1\n"

// cachedHeader is the JSON at the beginning of a file: after it are the lengths of the labels, the
// labels, the triples and a checksum, in numbers of 32 bits with the lowest byte first.
type cachedHeader struct {
	Entities, Relations int
	Text                int    // bytes of all labels
	Splits              [3]int // triples
	Facts               cachedFacts
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeCached writes the content of a file in the cache.
func encodeCached(to io.Writer, g *Graph, facts cachedFacts) error {
	header := cachedHeader{Entities: len(g.Entities), Relations: len(g.Relations), Facts: facts}
	for _, labels := range [][]string{g.Entities, g.Relations} {
		for _, label := range labels {
			header.Text += len(label)
		}
	}
	for i, triples := range g.splits() {
		header.Splits[i] = len(triples)
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	checksum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(io.MultiWriter(to, checksum), 1<<20)
	_, _ = out.WriteString(cacheFormat) // out keeps the first error until it is flushed
	writeNumber(out, uint32(len(text)))
	_, _ = out.Write(text)
	writeContent(out, g)
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = to.Write(binary.LittleEndian.AppendUint32(nil, checksum.Sum32()))
	return err
}

func writeNumber(out *bufio.Writer, n uint32) {
	_, _ = out.Write(binary.LittleEndian.AppendUint32(out.AvailableBuffer(), n))
}

// writeContent writes the labels and the triples.
func writeContent(out *bufio.Writer, g *Graph) {
	labels := [2][]string{g.Entities, g.Relations}
	for _, labels := range labels {
		for _, label := range labels {
			writeNumber(out, uint32(len(label)))
		}
	}
	for _, labels := range labels {
		for _, label := range labels {
			_, _ = out.WriteString(label)
		}
	}
	for _, triples := range g.splits() {
		for _, t := range triples {
			writeNumber(out, uint32(t.Head))
			writeNumber(out, uint32(t.Relation))
			writeNumber(out, uint32(t.Tail))
		}
	}
}

// contentSum returns a checksum of the labels and the triples.
func contentSum(g *Graph) uint32 {
	sum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(sum, 1<<16)
	writeContent(out, g)
	_ = out.Flush() // a checksum has no errors
	return sum.Sum32()
}

var errDamagedCache = errors.New("the file in the cache is damaged")

// decodeCached reads the content of a file in the cache.
func decodeCached(content []byte) (*Graph, *cachedFacts, error) {
	const numberBytes = 4
	end := len(content) - numberBytes
	if end < len(cacheFormat)+numberBytes || !bytes.HasPrefix(content, []byte(cacheFormat)) ||
		crc32.Checksum(content[:end], castagnoli) != binary.LittleEndian.Uint32(content[end:]) {
		return nil, nil, errDamagedCache
	}
	rest := content[len(cacheFormat):end]
	size := int64(binary.LittleEndian.Uint32(rest))
	rest = rest[numberBytes:]
	var header cachedHeader
	if size > int64(len(rest)) || json.Unmarshal(rest[:size], &header) != nil ||
		!header.fits(len(rest)-int(size)) {
		return nil, nil, errDamagedCache
	}
	rest = rest[size:]
	next := func(n int) (part []byte) {
		part, rest = rest[:n], rest[n:]
		return part
	}
	lengths := next(numberBytes * (header.Entities + header.Relations))
	text := string(next(header.Text))
	labels := make([]string, header.Entities+header.Relations)
	for i := range labels {
		n := int64(binary.LittleEndian.Uint32(lengths[numberBytes*i:]))
		if n > int64(len(text)) {
			return nil, nil, errDamagedCache
		}
		labels[i], text = text[:n], text[n:]
	}
	g := &Graph{
		Entities:  labels[:header.Entities:header.Entities],
		Relations: labels[header.Entities:],
	}
	for i, to := range []*[]Triple{&g.Train, &g.Valid, &g.Test} {
		if header.Splits[i] == 0 {
			continue
		}
		triples := make([]Triple, header.Splits[i])
		from := next(tripleBytes * len(triples))
		for j := range triples {
			triples[j] = Triple{
				int32(binary.LittleEndian.Uint32(from[tripleBytes*j:])),
				int32(binary.LittleEndian.Uint32(from[tripleBytes*j+numberBytes:])),
				int32(binary.LittleEndian.Uint32(from[tripleBytes*j+2*numberBytes:])),
			}
			if !g.has(triples[j]) {
				return nil, nil, errDamagedCache
			}
		}
		*to = triples
	}
	if !header.Facts.Implications.fit(g) || !header.Facts.OGB.fits(g) {
		return nil, nil, errDamagedCache
	}
	return g, &header.Facts, nil
}

const tripleBytes = 12

// fits reports whether the parts that the header describes have a size together.
func (h cachedHeader) fits(size int) bool {
	all := 0
	for _, part := range []struct{ count, bytes int }{
		{h.Entities, 4}, {h.Relations, 4}, {h.Text, 1},
		{h.Splits[0], tripleBytes}, {h.Splits[1], tripleBytes}, {h.Splits[2], tripleBytes},
	} {
		if part.count < 0 || part.count > size { // also excludes an overflow
			return false
		}
		all += part.count * part.bytes
	}
	return all == size
}

// has reports whether the ids of a triple have labels.
func (g *Graph) has(t Triple) bool {
	entities, relations := uint32(len(g.Entities)), uint32(len(g.Relations))
	return uint32(t.Head) < entities && uint32(t.Tail) < entities && uint32(t.Relation) < relations
}

// fit reports whether all ids have labels in a graph.
func (i *implications) fit(g *Graph) bool {
	is := len(i.Patterns) == len(g.Relations)
	for _, r := range i.Related {
		is = is && g.has(Triple{0, r.Relation, 0}) && g.has(Triple{0, r.Partner, 0})
	}
	for _, l := range []leakage{i.Valid, i.Test} {
		for _, l := range []leaks{l.InTrain, l.Implied, l.InValid} {
			is = is && (l.Count == 0 || g.has(l.Example) && g.has(l.Source))
		}
	}
	return is
}
