package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const markup = `<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width"/>
<link rel="icon" href="data:,"/><title>Page</title></head><body style="margin: 0">
<button onclick="document.title = 'clicked'" onmouseover="hovered = true">B</button>
<input oninput="typed = this.value"/>
<div style="background: red; width: 700px">wide</div>
<script>
setTimeout(() => { late = true; }, 100);
function trouble() {
	console.error("no", "good");
	setTimeout(() => { throw new Error("thrown"); });
	fetch("http://example.org/x").catch(() => {});
	fetch("/missing").finally(() => { ended = true; });
}
</script></body></html>`

// TestPage checks that a page can be used like by a person, and that its faults are found.
func TestPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, markup)
	}))
	defer server.Close()
	b := Start(t)
	for _, v := range Views {
		t.Run(v.String(), func(t *testing.T) {
			p := b.Open(t, server.URL, v)
			p.Wait("window.late")
			p.Click("button")
			p.Hover("button")
			p.Wait("document.title === 'clicked' && window.hovered")
			p.Fill("input", "first")
			p.Fill("input", "abc")
			p.Type(kb.Tab)
			p.Wait("typed === 'abc' && document.activeElement.tagName !== 'INPUT'")
			dark := Eval[bool](p, "matchMedia('(prefers-color-scheme: dark)').matches")
			if width := Eval[int](p, "document.documentElement.clientWidth"); dark != v.Dark || width != v.Width {
				t.Errorf("dark %v, width %d", dark, width)
			}
			wide := Eval[string](p, tooWide)
			if (wide != "") != (v.Width < 700) {
				t.Errorf("at width %d, too wide: %q", v.Width, wide)
			}
			if len(p.faults) > 0 {
				t.Errorf("faults of a good page: %q", p.faults)
			}
			Eval[any](p, "trouble()")
			p.Wait("window.ended")
			p.mu.Lock()
			defer p.mu.Unlock()
			faults := strings.Join(p.faults, "; ")
			for _, want := range []string{"good", "thrown", "request to http://example.org/x", "404"} {
				if !strings.Contains(faults, want) {
					t.Errorf("%q lacks %q", faults, want)
				}
			}
			p.faults = nil
		})
	}
}
