package labtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Page is a notebook in a window of a browser.
type Page struct {
	t    *testing.T
	ctx  context.Context
	name string
}

const (
	loading = 2 * time.Minute // the longest that a page or a kernel may take to be there
	answer  = time.Minute     // and what is done with a page that is there
)

// Open opens a notebook of the lab's folder in a browser, and waits until its kernel
// is ready.
func (l *Lab) Open(t *testing.T, name string) *Page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WindowSize(1280, 900))
	browser, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, shut := chromedp.NewContext(browser)
	t.Cleanup(shut)
	if err := chromedp.Do(ctx); errors.Is(err, exec.ErrNotFound) {
		t.Skipf("there is no Chromium: %v: apt-get install chromium", err)
	} else if err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	p := &Page{t, ctx, name}
	// In a workspace of its own, where no other notebook is open.
	p.do(loading, "open it", chromedp.Navigate(l.page.JoinPath("lab", "workspaces", p.title(), "tree", name).String()))
	p.wait(loading, "the kernel is ready", state.ready)
	return p
}

// title is the notebook's name without its ending.
func (p *Page) title() string { return strings.TrimSuffix(p.name, filepath.Ext(p.name)) }

// RunAll chooses "Run All Cells" from the menu "Run", waits until all cells have run
// or one has failed, and returns the cells of code as they are then.
func (p *Page) RunAll(limit time.Duration) []Cell {
	p.t.Helper()
	p.do(answer, "choose Run, Run All Cells",
		click(`//*[@id="jp-MainMenu"]//li[normalize-space()="Run"]`),
		click(`//li[contains(@class, "lm-Menu-item") and normalize-space()="Run All Cells"]`),
	)
	return p.wait(limit, "all cells have run", state.finished).Cells
}

// click moves the mouse to an element, for a menu chooses what the mouse moved to, and
// clicks.
func click(path chromedp.Search) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		box, err := chromedp.Dimensions(path, chromedp.NodeVisible)(ctx, target)
		if err != nil {
			return chromedp.Void{}, err
		}
		corner := box.Border
		x, y := (corner[0]+corner[4])/2, (corner[1]+corner[5])/2
		return chromedp.Steps(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y))(ctx, target)
	}
}

// Kernel is the name of the kernel that the page shows.
func (p *Page) Kernel() string {
	p.t.Helper()
	return strings.TrimSpace(get(p, "read the kernel's name", chromedp.Text(chromedp.CSS(".jp-Toolbar-kernelName"))))
}

// wait waits until the page is in a state.
func (p *Page) wait(limit time.Duration, what string, is func(state) bool) state {
	p.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Millisecond) {
		s := get(p, "read its cells", chromedp.Evaluate[state](readState))
		if is(s) {
			return s
		}
		if time.Now().After(end) {
			p.Screenshots()
			p.t.Fatalf("%s: not in %v: %s; there is %+v", p.name, limit, what, s)
		}
	}
}

// Screenshots takes pictures of the notebook, from its top to its end, for which
// AUTOBLM_SCREENSHOTS names a folder.
func (p *Page) Screenshots() {
	p.t.Helper()
	folder := os.Getenv("AUTOBLM_SCREENSHOTS")
	if folder == "" {
		return
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for i, last := 0, false; !last; i++ {
		last = get(p, "scroll", chromedp.Evaluate[bool](fmt.Sprintf(scrollTo, i)))
		time.Sleep(time.Second) // what comes into sight is drawn
		picture := get(p, "take a picture", chromedp.CaptureScreenshot())
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%02d.png", p.title(), i+1)), picture, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}

// do does something with the page.
func (p *Page) do(limit time.Duration, what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s: cannot %s: %v", p.name, what, err)
	}
}

// get asks the page for something.
func get[T any](p *Page, what string, action chromedp.Action[T]) (answered T) {
	p.t.Helper()
	p.do(answer, what, func(ctx context.Context, target *chromedp.Target) (_ chromedp.Void, err error) {
		answered, err = action(ctx, target)
		return
	})
	return answered
}
