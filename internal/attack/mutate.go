//go:build linux

package main

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
)

// odd are texts that readers have been seen to stumble over.
var odd = []string{
	"", "0", "-1", "1", "7", "255", "256", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"1e308", "1e999", "-0", "NaN", "nan", "Inf", "-inf", "0x10", "1_000", "1.5", "null", "true", "[]", "{}", `""`, "[[[[[[[[", `{"a":`, "\x00", "\t", "\n", "\r", "\r\n", "\n\n",
	"\uFEFF", "\u2028", "\x1b[31m", "\xff\xfe", "é", "e\u0301", "𐍈", " ", ",", ";", "#", "\"", "'", "\\", "<", ">", "_:b", "@en", "^^<x>", "..", "%s%n", "a/b",
}

var number = regexp.MustCompile(`[0-9]+`)

// mutate changes a text once or a few times.
func mutate(rng *rand.Rand, content []byte) []byte {
	out := bytes.Clone(content)
	for range 1 + rng.IntN(3)*rng.IntN(2) {
		out = mutateOnce(rng, out)
	}
	return out
}

func mutateOnce(rng *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return []byte(odd[rng.IntN(len(odd))])
	}
	at := rng.IntN(len(b))
	upTo := at + 1 + rng.IntN(min(64, len(b)-at))
	switch rng.IntN(12) {
	case 0:
		b[at] ^= 1 << rng.IntN(8)
	case 1:
		b[at] = byte(rng.Uint32())
	case 2:
		return b[:at]
	case 3:
		return slices.Delete(b, at, upTo)
	case 4: // a piece twice
		return slices.Insert(b, upTo, slices.Clone(b[at:upTo])...)
	case 5:
		return slices.Insert(b, at, []byte(odd[rng.IntN(len(odd))])...)
	case 6:
		return slices.Concat(b[:at], []byte(odd[rng.IntN(len(odd))]), b[upTo:])
	case 7: // a number, which is where sizes stand
		all := number.FindAllIndex(b, 1000)
		if len(all) == 0 {
			return mutateOnce(rng, b)
		}
		place := all[rng.IntN(len(all))]
		return slices.Concat(b[:place[0]], []byte(odd[rng.IntN(20)]), b[place[1]:])
	case 8: // two lines change places, or one is there twice or not at all
		lines := bytes.SplitAfter(b, []byte("\n"))
		i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
		switch rng.IntN(3) {
		case 0:
			lines[i], lines[j] = lines[j], lines[i]
		case 1:
			lines = slices.Insert(lines, j, lines[i])
		case 2:
			lines = slices.Delete(lines, i, i+1)
		}
		return bytes.Join(lines, nil)
	case 9:
		for i := at; i < upTo; i++ {
			b[i] = byte(rng.Uint32())
		}
	case 10: // long
		if len(b) < 1<<20 {
			return slices.Insert(b, at, bytes.Repeat(slices.Clone(b[at:upTo]), 1<<rng.IntN(8))...)
		}
	case 11: // a number in binary: a length, a count
		for i, shift := at, rng.IntN(64); i < min(len(b), at+8); i++ {
			b[i] = byte(uint64(1) << shift >> (8 * (i - at)))
		}
	}
	return b
}
