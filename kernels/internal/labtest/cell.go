package labtest

import (
	_ "embed"
	"fmt"
)

// state is what a page shows of its notebook.
type state struct {
	Kernel string // its name, or "No Kernel"
	Status string // of the kernel: "idle", "busy" and so on
	Cells  []Cell // those of code
}

// Cell is a cell of code as the page shows it.
type Cell struct {
	Prompt   string // "[3]:", "[*]:" while it waits or runs, "[ ]:" when it did not
	Text     string // of its outputs
	Errors   []string
	Tables   int
	Pictures []Picture
}

// Picture is a picture in a cell's outputs; one that the browser could not read is of
// no size.
type Picture struct{ Width, Height int }

// Failure says what is wrong with a cell that should have run, or nothing.
func (c Cell) Failure() string {
	if len(c.Errors) > 0 {
		return fmt.Sprintf("it shows an error: %q", c.Errors)
	}
	for i, p := range c.Pictures {
		if p.Width == 0 || p.Height == 0 {
			return fmt.Sprintf("picture %d of %d is broken", i+1, len(c.Pictures))
		}
	}
	if !c.hasRun() {
		return "it has not run: " + c.Prompt
	}
	return ""
}

func (c Cell) hasRun() bool {
	var count int
	_, err := fmt.Sscanf(c.Prompt, "[%d]:", &count)
	return err == nil
}

// ready says whether the notebook and its kernel are there. Of GoNB JupyterLab 4.6
// knows no status before it has run a cell.
func (s state) ready() bool {
	return len(s.Cells) > 0 && s.Kernel != "" && s.Kernel != "No Kernel" && (s.Status == "idle" || s.Status == "unknown")
}

// finished says whether nothing more will happen: all cells have run, or those after
// one with an error never will.
func (s state) finished() bool {
	ran, failed := true, false
	for _, c := range s.Cells {
		if c.Prompt == "[*]:" {
			return false
		}
		ran = ran && c.hasRun()
		failed = failed || len(c.Errors) > 0
	}
	return s.Status == "idle" && (ran || failed)
}

// readState is an expression of type state, and scrollTo one that scrolls the
// notebook to a page, from 0, and says whether it is the last one.
var (
	//go:embed state.js
	readState string
	//go:embed scroll.js
	scrollTo string
)
