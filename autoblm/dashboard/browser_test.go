package dashboard

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/browsertest"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/chromedp/chromedp/kb"
)

// names is an expression for the names of the studies in the list, in order.
const names = `[...document.querySelectorAll("td:first-child")].map((a) => a.textContent).join(" ")`

// TestListInBrowser sorts and filters the list of studies, with the mouse and the keyboard.
func TestListInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	server := httptest.NewServer(newServer(folder(t)).Handler())
	t.Cleanup(server.Close) // after the tabs
	for _, v := range browsertest.Views {
		t.Run(v.String(), func(t *testing.T) {
			p := b.Open(t, server.URL, v)
			p.Wait(`document.querySelectorAll("tr[data-id]").length === 3`)
			p.Wait(`document.getElementById("live").textContent === "live"`)
			p.Wait(`document.querySelector(".facts").innerText.startsWith("3 studies below")`)
			p.Wait(`getComputedStyle(document.getElementById("count"), "::after").content === "none"`)
			p.Fits()
			p.Screenshot("list-" + v.String())
			p.Click("th:nth-child(1) button")
			p.Wait(names + ` === "damaged done half"`)
			p.Click("th:nth-child(1) button")
			p.Wait(names + ` === "half done damaged"`)
			p.Wait(`document.querySelector("th").ariaSort === "descending"`)
			for range 2 { // a study without a score is the last in each direction
				p.Click("th:nth-child(8) button")
				p.Wait(names + `.endsWith(" damaged")`)
			}

			p.Fill("#filter", "finished")
			p.Wait(names + ` === "done"`)
			p.Fill("#filter", "")
			p.Wait(`document.querySelectorAll("tr[data-id]").length === 3`)
			p.Type(kb.Tab)
			p.Wait(`document.activeElement === document.querySelector("th button")`)
			p.Type(kb.Enter)
			p.Wait(names + ` === "damaged done half"`)
			p.Wait(`document.querySelector(".error").textContent.includes("damaged")`)
			p.Click("td a")
			p.Wait(`document.querySelectorAll(".trials tbody tr").length > 0`)
			p.Fits()
			p.Screenshot("study-" + v.String())
			p.Click(".home a")
			p.Wait(`document.querySelectorAll("tr[data-id]").length === 3`)
		})
	}
}

// TestLiveInBrowser checks that the list and an open study follow a search.
func TestLiveInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	for _, v := range []browsertest.View{{Width: 360}, {Width: 1280, Dark: true}} {
		t.Run(v.String(), func(t *testing.T) {
			dir := folder(t)
			server := httptest.NewServer(newServer(dir).Handler())
			t.Cleanup(server.Close) // after the tabs
			list := b.Open(t, server.URL, v)
			list.Wait(`document.querySelectorAll("tr[data-id]").length === 3`)
			path := filepath.Join(dir, "half.db")
			study := b.Open(t, server.URL+"/study/"+idOf(path), v)
			study.Wait(`document.querySelectorAll(".trials tbody tr").length === 3`)
			study.Wait(`document.getElementById("live").textContent === "live"`)
			study.Click("#curves .legend button:last-child")
			const hidden = `document.querySelector("#curves .legend button:last-child").ariaPressed === "false" &&
				Chart.getChart(document.querySelector("#curves .canvas canvas")).getVisibleDatasetCount()`
			study.Wait(hidden + ` === 2`)
			study.Fill("#filter", "foun")
			study.Wait(`document.querySelectorAll(".trials tbody tr").length === 1`)

			search := startSearch(t, path)
			list.Show()
			list.Wait(`document.querySelector("tr:has(.running) td:nth-child(5)").textContent === "1 of 3"`)
			search.store(4)
			list.Wait(`document.querySelector("tr:has(.running) td:nth-child(5)").textContent === "2 of 3"`)
			study.Show()
			study.Wait(`document.querySelector(".facts").textContent.startsWith("running")`)
			study.Wait(`document.getElementById("trial-4")`)
			study.Wait(hidden + ` === 3`) // the structure is new
			study.Wait(`document.querySelectorAll(".trials tbody tr").length === 2`)
			study.Type("d") // the cursor is still behind the other letters
			study.Screenshot("live-" + v.String())
			browsertest.Eval[any](study, `document.getElementById("stage").isSame = true`)
			search.store(5)
			study.Wait(`document.querySelectorAll(".trials tbody tr").length === 3`)
			study.Wait(`document.activeElement.id === "filter" && document.activeElement.value === "found"`)
			study.Wait(`document.getElementById("stage").isSame`) // an open list stays open
			search.end()
			study.Wait(`document.querySelector(".facts").textContent.startsWith("finished")`)
			study.Fits()
			list.Show()
			list.Wait(`!document.querySelector(".state.running")`)
		})
	}
}

// TestProblemsInBrowser checks that open pages say that the server is away, that a study is damaged
// or deleted, and that all is well again.
func TestProblemsInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	dir := folder(t)
	server := httptest.NewServer(newServer(dir).Handler())
	address := server.Listener.Addr().String()
	path := filepath.Join(dir, "half.db")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() }) // after the tabs
	p := b.Open(t, server.URL+"/study/"+idOf(path), browsertest.Views[1])
	p.Expect("ERR_CONNECTION_REFUSED")
	p.Expect("ERR_INCOMPLETE_CHUNKED_ENCODING")
	shows := func(problem bool, text string) {
		t.Helper()
		p.Wait(fmt.Sprintf(`((e) => e.classList.contains("problem") === %v && e.textContent.includes(%q))
			(document.getElementById("live"))`, problem, text))
	}
	shows(false, "live")
	server.CloseClientConnections()
	server.Close()
	shows(true, "no connection")
	p.Fits()
	p.Screenshot("problem")
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	server = httptest.NewUnstartedServer(newServer(dir).Handler())
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	shows(false, "live")

	require.NoError(t, os.WriteFile(path, content[:len(content)/2], 0o644))
	shows(true, "is damaged")
	require.NoError(t, os.Remove(path))
	shows(true, "there is no")
	p.Fits()
	require.NoError(t, os.WriteFile(path, content, 0o644))
	shows(false, "live")
}
