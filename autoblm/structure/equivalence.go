package structure

import (
	"fmt"
	"math/bits"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// Group is a group of symmetries: matrices in one orbit are the same scoring
// function up to a signed renaming of chunks, so only one of them is worth
// training.
type Group int

const (
	// Full permutes the entity chunks, permutes the relation chunks, and
	// flips signs of both. Flipping entity chunk i maps A_ij to s_i s_j A_ij.
	Full Group = iota
	// Paper is the group of the paper's Proposition 3, which leaves out the
	// signs of entity chunks.
	Paper
)

var groupNames = []string{"full", "paper"}

// String returns "full" or "paper".
func (g Group) String() string { return enum.Name(groupNames, "Group", g) }

// MarshalText writes the name.
func (g Group) MarshalText() ([]byte, error) { return enum.Marshal(groupNames, "group", g) }

// UnmarshalText reads "full" or "paper".
func (g *Group) UnmarshalText(text []byte) error {
	return enum.Unmarshal(groupNames, "group", g, text)
}

// Canonical returns the smallest structure of the orbit of s: row by row under the order of
// symbols 1 < -1 < 2 < -2 < … < K < -K < 0. Two structures are equivalent under g exactly when
// their canonical forms are equal.
func (s Structure) Canonical(g Group) Structure {
	search := searchOrbit(s, g)
	return search.structure()
}

// CanonicalInBlocks returns the smallest structure that the symmetries which keep blocks of chunks
// make of s: those that exchange chunks of one block, whole blocks, and signs. Block c has the
// chunks c, c+K/size, c+2K/size, … of entities, or of relations. Structures with equal results also
// have equal norms of blocks, which [Structure.Canonical] does not ensure unless the size is 1 or K.
// It panics unless the size divides K.
func (s Structure) CanonicalInBlocks(g Group, size int) Structure {
	k := s.K()
	if size < 1 || k%size != 0 {
		panic(fmt.Sprintf("structure: blocks of %d do not divide %d chunks", size, k))
	}
	if size == 1 || size == k {
		return s.Canonical(g)
	}
	search := orbitSearch{k: k, blocks: k / size}
	search.run(s, g)
	return search.structure()
}

// Orbit returns the number of distinct matrices in the orbit of s: the order of the
// group by the number of its elements that leave the canonical form as it is.
func (s Structure) Orbit(g Group) uint64 {
	search := searchOrbit(s, g)
	k := s.K()
	// The signs, 2^(number of sign variables), cancel except those that some cell determines.
	// Values that never occur can be renamed freely.
	absent := k - s.distinctValues()
	return factorial(k) / search.ties * (factorial(k) /
		factorial(absent)) << search.bestNames.tiedSigns
}

// distinctValues returns the number of relation chunks that occur.
func (s Structure) distinctValues() int {
	return bits.OnesCount16(s.occurring() &^ 1)
}

// occurring has bit v set when the value v or -v occurs.
func (s *Structure) occurring() uint16 {
	var set uint16
	for _, value := range s.flat() {
		set |= 1 << max(value, -value)
	}
	return set
}

// orbitSearch finds the smallest matrix of an orbit. It runs over the
// permutations of entity chunks only. For each of them, in row-major order, the
// best choice of everything else is greedy: a value met for the first time
// takes the next unused name, and a sign that is still free becomes +.
//
// A permutation is chosen one place at a time. Each place fixes one more cell of the first row,
// so that a start larger than the best one is dropped early. Often it also decides cells of
// later rows; see mayReach. Two permutations that reach the best matrix differ by an
// automorphism, which saves the search below chunks that it exchanges.
type orbitSearch struct {
	k      int
	blocks int // the number of blocks that are kept, 0 if all permutations are allowed
	cells  [MaxK][MaxK]cell
	chunk  [MaxK]uint8 // chunk[p] is the entity chunk at place p of the candidate

	best  [MaxK * MaxK]uint8 // symbol ranks, row-major
	valid int                // how many of best are settled; the cells behind are larger than any
	ties  uint64             // permutations that reach best
	// improvements counts the changes of best.
	improvements int
	// automorphisms[n][i] is the chunk that the n-th automorphism found puts in place of chunk i.
	automorphisms [][MaxK]uint8

	bestChunk [MaxK]uint8 // a permutation that reaches best,
	bestNames naming      // with its names and signs

	// A frozen best is given, and the search ends with the first candidate that beats it.
	frozen, beaten bool
}

// cell is one cell of the structure whose orbit is searched.
type cell struct {
	value uint8 // without its sign
	sign  parityForm
}

// unknown is the value of an open cell. It ranks above all symbols, so a candidate that is smaller
// stays smaller for any value of the cell.
const (
	unknown     = MaxK + 1
	unknownRank = zeroRank + 1
)

func newCell(i, j int, value int8, g Group) cell {
	form := valueSign(max(value, -value))
	if value < 0 {
		form ^= minus
	}
	if g == Full {
		form ^= chunkSign(i) ^ chunkSign(j)
	}
	return cell{uint8(max(value, -value)), form}
}

func searchOrbit(s Structure, g Group) orbitSearch {
	search := orbitSearch{k: s.K()}
	search.run(s, g)
	return search
}

func (o *orbitSearch) run(s Structure, g Group) {
	for i := range o.k {
		for j := range o.k {
			o.cells[i][j] = newCell(i, j, s.cells[i*o.k+j], g)
		}
	}
	o.place(0, 0, naming{blocks: o.blocks})
}

// structure returns the smallest matrix.
func (o *orbitSearch) structure() Structure {
	smallest := Structure{k: int8(o.k)}
	for n := range smallest.flat() {
		smallest.cells[n] = symbolOfRank(o.best[n])
	}
	return smallest
}

// place tries every entity chunk that is not taken yet at the given place.
func (o *orbitSearch) place(place int, taken uint, names naming) {
	if place == o.k {
		o.finish(names)
		return
	}
	var attempts [MaxK]attempt
	tried := attempts[:0]
	for chunk := range o.k {
		if taken&(1<<chunk) != 0 || !o.keepsBlocks(place, chunk) {
			continue
		}
		if o.beaten {
			return
		}
		if alike := o.likeOneOf(tried, place, chunk); alike != nil {
			if alike.improvements == o.improvements {
				o.ties += alike.ties
			}
			continue
		}
		ties, improvements := o.ties, o.improvements
		o.chunk[place] = uint8(chunk)
		extended := names
		if o.accept(place, extended.rank(o.cells[o.chunk[0]][chunk])) &&
			o.mayReach(place+1, extended) {
			o.place(place+1, taken|1<<chunk, extended)
		}
		if o.improvements != improvements {
			ties = 0
		}
		tried = append(tried, attempt{chunk, o.ties - ties, o.improvements})
	}
}

// keepsBlocks reports whether a chunk may take a place after the chosen ones: that of a block whose
// chunks are chosen, or of a new one.
func (o *orbitSearch) keepsBlocks(place, chunk int) bool {
	if o.blocks == 0 {
		return true
	}
	if place >= o.blocks {
		return chunk%o.blocks == int(o.chunk[place-o.blocks])%o.blocks
	}
	for _, earlier := range o.chunk[:place] {
		if chunk%o.blocks == int(earlier)%o.blocks {
			return false
		}
	}
	return true
}

// attempt is a chunk that was tried at a place: the permutations below that reached best, and the
// number of improvements by then.
type attempt struct {
	chunk        int
	ties         uint64
	improvements int
}

// likeOneOf returns the attempt with a chunk that an automorphism exchanges for the given one
// without moving the chunks at earlier places, or nil. Both lead to the same matrices.
func (o *orbitSearch) likeOneOf(tried []attempt, place, chunk int) *attempt {
	if len(tried) == 0 || len(o.automorphisms) == 0 {
		return nil
	}
	orbit := uint(1) << chunk
	for before := uint(0); before != orbit; {
		before = orbit
		for n := range o.automorphisms {
			a := &o.automorphisms[n]
			if !fixes(a, o.chunk[:place]) {
				continue
			}
			for i := range o.k {
				if orbit&(1<<i) != 0 {
					orbit |= 1 << a[i]
				}
			}
		}
	}
	for i := range tried {
		if orbit&(1<<tried[i].chunk) != 0 {
			return &tried[i]
		}
	}
	return nil
}

// fixes reports whether an automorphism moves none of some chunks.
func fixes(automorphism *[MaxK]uint8, chunks []uint8) bool {
	for _, chunk := range chunks {
		if automorphism[chunk] != chunk {
			return false
		}
	}
	return true
}

// mayReach reports whether a permutation whose first places are chosen may still reach a matrix
// that is not larger than best. names is the naming after the chosen cells of the first row.
//
// Cells between chosen places are compared row by row. The rest of a row is known only if it has
// nothing but zeros and values that are new and distinct: at the smallest, these take the next
// names in order, and the zeros follow. Which new value has which of these names is still open, so
// that later rows are compared up to their first such value. With blocks the next names depend on
// the value, so that nothing is ruled out.
func (o *orbitSearch) mayReach(placed int, names naming) bool {
	if placed == o.k || o.blocks > 0 {
		return true
	}
	var taken uint
	for _, chunk := range o.chunk[:placed] {
		taken |= 1 << chunk
	}
	newNames := false
	for row := range placed {
		source, n := &o.cells[o.chunk[row]], row*o.k
		if row == 0 {
			n = placed
		}
		for ; n < row*o.k+placed; n++ {
			if n >= o.valid {
				return true
			}
			c := source[o.chunk[n-row*o.k]]
			if newNames && names.isNew(c) {
				return 2*names.named <= o.best[n]
			}
			if rank := names.rank(c); rank != o.best[n] {
				return rank < o.best[n]
			}
		}
		if newNames {
			return true
		}
		values, isKnown := o.restOf(source, taken, &names)
		if !isKnown {
			return true
		}
		for i := range o.k - placed {
			rank := uint8(zeroRank)
			if i < values {
				rank = 2 * (names.named + uint8(i))
			}
			if n+i >= o.valid {
				return true
			}
			if rank != o.best[n+i] {
				return rank < o.best[n+i]
			}
		}
		newNames = values > 0
	}
	return true
}

// restOf returns the number of values in the cells of a row that are not taken, and whether they
// are all new and distinct.
func (o *orbitSearch) restOf(row *[MaxK]cell, taken uint, names *naming) (values int, ok bool) {
	var seen uint
	for column := range o.k {
		c := row[column]
		if taken&(1<<column) != 0 || c.value == 0 {
			continue
		}
		if !names.isNew(c) || seen&(1<<c.value) != 0 {
			return 0, false
		}
		seen |= 1 << c.value
		values++
	}
	return values, true
}

// finish compares the rows after the first.
func (o *orbitSearch) finish(names naming) {
	n := o.k
	for row := 1; row < o.k; row++ {
		source := &o.cells[o.chunk[row]]
		for column := range o.k {
			if !o.accept(n, names.rank(source[o.chunk[column]])) {
				return
			}
			n++
		}
	}
	if o.ties == 0 {
		o.bestChunk, o.bestNames = o.chunk, names
	} else {
		var exchanged [MaxK]uint8
		for place, chunk := range o.bestChunk[:o.k] {
			exchanged[chunk] = o.chunk[place]
		}
		o.automorphisms = append(o.automorphisms, exchanged)
	}
	o.ties++
}

// accept reports whether a candidate that equals best so far is still not larger with its
// cell n. A smaller candidate becomes the best, or ends the search if best is frozen.
func (o *orbitSearch) accept(n int, rank uint8) bool {
	if n < o.valid {
		if rank > o.best[n] {
			return false
		}
		if rank == o.best[n] {
			return true
		}
	}
	if o.frozen {
		o.beaten = true
		return false
	}
	o.best[n] = rank
	o.valid = n + 1
	o.ties = 0
	o.improvements++
	return true
}

// parityForm is a product of signs, written as a set: the sign variables of
// entity chunks and of values, and the constant -1. Multiplying is XOR.
type parityForm uint32

const minus parityForm = 1

func chunkSign(chunk int) parityForm  { return 2 << chunk }
func valueSign(value int8) parityForm { return 1 << MaxK << value }

// naming is the choice of names and signs for the cells met so far.
type naming struct {
	names     [MaxK + 1]uint8 // new name of each value, 0 while it has none
	named     uint8
	blocks    int // the number of blocks that names keep, or 0
	tiedSigns uint8
	// equations are the products of signs that were chosen to be +, each
	// under its highest variable: Gaussian elimination over two elements.
	equations [2*MaxK + 1]parityForm
}

// isNew reports whether a cell has a value that has no name yet.
func (n *naming) isNew(c cell) bool {
	return c.value != 0 && c.value != unknown && n.names[c.value] == 0
}

// rank returns the symbol rank of the next cell.
func (n *naming) rank(c cell) uint8 {
	switch c.value {
	case 0:
		return zeroRank
	case unknown:
		return unknownRank
	}
	if n.names[c.value] == 0 {
		n.names[c.value] = n.nextName(c.value)
		n.named++
	}
	negative := n.settle(c.sign)
	return 2*(n.names[c.value]-1) + negative
}

// nextName returns the smallest name that a new value may have. With blocks it is in the block of the
// names of its own block, or in the next block.
func (n *naming) nextName(value uint8) uint8 {
	if n.blocks == 0 {
		return n.named + 1
	}
	own, named, begun := int(value-1)%n.blocks, 0, uint(0)
	block := -1
	for v, name := range n.names {
		if name == 0 {
			continue
		}
		begun |= 1 << ((v - 1) % n.blocks)
		if (v-1)%n.blocks == own {
			named++
			block = int(name-1) % n.blocks
		}
	}
	if block < 0 {
		block = bits.OnesCount(begun)
	}
	return uint8(named*n.blocks + block + 1)
}

// settle gives a product of signs the value +, returned as 0, if it is still
// free, or else says whether earlier choices have made it - .
func (n *naming) settle(form parityForm) (negative uint8) {
	for form > minus {
		variable := bits.Len32(uint32(form)) - 1
		if n.equations[variable] == 0 {
			n.equations[variable] = form
			n.tiedSigns++
			return 0
		}
		form ^= n.equations[variable]
	}
	return uint8(form)
}

func factorial(n int) uint64 {
	product := uint64(1)
	for factor := uint64(2); factor <= uint64(n); factor++ {
		product *= factor
	}
	return product
}
