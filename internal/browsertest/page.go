package browsertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Page is an open page. Its methods fail the test on errors. A fault of the page fails the test at
// its end: an exception, an error or a warning on the console, or a request to another machine.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	faults   []string
	expected []string
}

// Expect lets faults with a text pass, such as that of a server that the test ends.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, text)
}

// View is a window and its color scheme.
type View struct {
	Width int // in pixels
	Dark  bool
}

// Views are the views that every page must support.
var Views = []View{{360, false}, {360, true}, {1280, false}, {1280, true}}

func (v View) String() string {
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	return fmt.Sprintf("%d-%s", v.Width, scheme)
}

// Open opens a page in a new tab.
func (b *Browser) Open(t testing.TB, address string, v View) *Page {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(b.ctx)
	p := &Page{t: t, ctx: ctx}
	t.Cleanup(func() {
		closeTab()
		for _, fault := range p.faults {
			isExpected := func(text string) bool { return strings.Contains(fault, text) }
			if !slices.ContainsFunc(p.expected, isExpected) {
				t.Errorf("%s: %s", address, fault)
			}
		}
	})
	p.check(chromedp.Do(ctx)) // opens the tab
	p.check(chromedp.Listen(ctx, p.observe))
	scheme := emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"}
	if v.Dark {
		scheme.Value = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&scheme}}
	var options []chromedp.EmulateViewportOption
	if v.Width < 600 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulatePortrait)
	}
	_, logged := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	_, watched := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	_, emulated := chromedp.Call(ctx, emulation.SetEmulatedMedia, media)
	p.check(errors.Join(logged, watched, emulated))
	p.do(chromedp.EmulateViewport(int64(v.Width), 800, options...), chromedp.Navigate(address))
	return p
}

// observe notes faults and requests.
func (p *Page) observe(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := func(format string, arguments ...any) {
		p.faults = append(p.faults, fmt.Sprintf(format, arguments...))
	}
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		d := e.ExceptionDetails
		fault("exception: %s %s", d.Text, describe(d.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError ||
			e.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, a := range e.Args {
				fault("console: %s", describe(a))
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			fault("log: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		local := err == nil && (u.Hostname() == "127.0.0.1" || u.Scheme == "data" ||
			u.Scheme == "blob" || u.Scheme == "file")
		if !local {
			fault("request to %s", e.Request.URL)
		}
	}
}

// Forgive drops the faults so far that contain a text, which the test expects.
func (p *Page) Forgive(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = slices.DeleteFunc(p.faults, func(f string) bool { return strings.Contains(f, text) })
}

func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return cmp.Or(o.Description, string(o.Value))
}

func (p *Page) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("in the browser: %v", err)
	}
}

func (p *Page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	p.check(chromedp.Do(ctx, actions...))
}

// Eval returns the value of an expression in JavaScript.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	p.check(err)
	return value
}

// Wait waits until an expression is true, also across a change of the address.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	p.wait(expression, func() {})
}

// wait does something again and again until an expression is true.
func (p *Page) wait(expression string, again func()) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		again()
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if ok {
			return
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			shown, _ := chromedp.Run(p.ctx,
				chromedp.Evaluate[string]("document.body.innerText.slice(0, 500)"))
			p.t.Fatalf("waited in vain for %s (%v); the page shows %q", expression, err, shown)
		}
	}
}

// Show brings the tab to the front. The browser hides the others.
func (p *Page) Show() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.Call(ctx, page.BringToFront, cdp.Empty{})
	p.check(err)
}

// Click clicks on the first visible element of a CSS selector, once the page has laid it out.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q), before = window.placeBefore;
		window.placeBefore = e && JSON.stringify(e.getBoundingClientRect());
		return before && before === window.placeBefore;
	})()`, selector))
	p.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Hover moves the mouse to the middle of an element.
func (p *Page) Hover(selector string) {
	p.t.Helper()
	p.MoveTo(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({ block: "center", behavior: "instant" });
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`, selector))
}

// MoveTo moves the mouse to a point of the window, the value [x, y] of an expression. It returns
// the point.
func (p *Page) MoveTo(expression string) (x, y float64) {
	p.t.Helper()
	at := Eval[[]float64](p, expression)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	return at[0], at[1]
}

// MoveUntil moves the mouse to a point like MoveTo, until a condition is true: what the page still
// lays out has other places a moment later. It returns the last point.
func (p *Page) MoveUntil(point, condition string) (x, y float64) {
	p.t.Helper()
	p.wait(condition, func() { x, y = p.MoveTo(point) })
	return x, y
}

// ClickAt clicks on a point of the window.
func (p *Page) ClickAt(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(x, y))
}

// Type types text into the focused element. Names of package kb, such as kb.Tab, are keys.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(text))
}

// Fill replaces the value of an input field; an empty text clears it.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	Eval[any](p, fmt.Sprintf(`document.querySelector(%q).select()`, selector))
	p.Type(cmp.Or(text, kb.Backspace))
}

// tooWide finds elements that make a page wider than the window.
const tooWide = `(() => {
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= width) return "";
	const clips = (e) => e && (getComputedStyle(e).overflowX !== "visible" || clips(e.parentElement));
	const right = (e) => {
		const r = e.getBoundingClientRect();
		return Math.max(r.right, r.left + e.scrollWidth); // text may be wider than its element
	};
	return [...document.querySelectorAll("body *")]
		.filter((e) => right(e) > width + 1 && !clips(e))
		.slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n") || "unknown elements";
})()`

// Fits fails the test if the page is wider than the window.
func (p *Page) Fits() {
	p.t.Helper()
	if wide := Eval[string](p, tooWide); wide != "" {
		p.t.Errorf("the page scrolls horizontally because of\n%s", wide)
	}
}

// shotsVariable names a folder for screenshots.
const shotsVariable = "AUTOBLM_SCREENSHOTS"

// Screenshot writes the page as PNG, if the variable AUTOBLM_SCREENSHOTS names a folder.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	folder := os.Getenv(shotsVariable)
	if folder == "" {
		return
	}
	content, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	p.check(err)
	file := filepath.Join(folder, strings.ReplaceAll(name, "/", "-")+".png")
	if err := os.WriteFile(file, content, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
