package structure

import (
	"fmt"
	"strings"
)

// Draw returns a picture for the terminal: head chunks down, tail chunks across, and in each
// cell the sign and the relation chunk, or a dot for 0. The
// text ends with a newline.
//
// With colour every relation chunk has its own, through ANSI escape codes;
// positive cells are filled, negative ones hatched.
func (s Structure) Draw(colour bool) string {
	k := s.K()
	if k == 0 {
		return ""
	}
	var picture strings.Builder
	picture.WriteString("   ")
	for j := range k {
		fmt.Fprintf(&picture, "    t%d", j+1)
	}
	picture.WriteByte('\n')
	rule := func(left, middle, right string) {
		picture.WriteString("    " + left + strings.Repeat("─────"+middle, k-1) +
			"─────" + right + "\n")
	}
	rule("┌", "┬", "┐")
	for i := range k {
		if i > 0 {
			rule("├", "┼", "┤")
		}
		fmt.Fprintf(&picture, " h%d ", i+1)
		for j := range k {
			picture.WriteString("│" + drawCell(s.At(i, j), colour))
		}
		picture.WriteString("│\n")
	}
	rule("└", "┴", "┘")
	return picture.String()
}

// chunkColours are codes of the 256-colour palette, one for each relation
// chunk; neighbours differ in hue and in brightness, and black text can be
// read on all of them.
var chunkColours = [MaxK]int{75, 214, 78, 205, 228, 141, 116, 180}

func drawCell(value int, colour bool) string {
	chunk := abs(value)
	switch {
	case value == 0:
		return "  ·  "
	case !colour:
		return fmt.Sprintf(" %cr%d ", "-+"[(sign(value)+1)/2], chunk)
	case value > 0:
		return fmt.Sprintf("\x1b[30;48;5;%dm +r%d \x1b[0m", chunkColours[chunk-1], chunk)
	default:
		return fmt.Sprintf("\x1b[38;5;%dm░-r%d░\x1b[0m", chunkColours[chunk-1], chunk)
	}
}

// Formula returns the score written out, such as
// "⟨h1,r1,t1⟩ + ⟨h2,r2,t2⟩ - ⟨h3,r3,t1⟩"; "0" when there is no block.
func (s Structure) Formula() string {
	var formula strings.Builder
	for i := range s.K() {
		for j := range s.K() {
			value := s.At(i, j)
			first := formula.Len() == 0
			switch {
			case value == 0:
				continue
			case value > 0 && !first:
				formula.WriteString(" + ")
			case value < 0 && first:
				formula.WriteString("-")
			case value < 0:
				formula.WriteString(" - ")
			}
			fmt.Fprintf(&formula, "⟨h%d,r%d,t%d⟩", i+1, abs(value), j+1)
		}
	}
	if formula.Len() == 0 {
		return "0"
	}
	return formula.String()
}
