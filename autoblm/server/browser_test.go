package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/internal/browsertest"
	"github.com/chromedp/chromedp/kb"
)

// markup is a label that would run a script if it were HTML.
const markup = `<img src=x onerror="document.title='run'"> & "label" https://example.org`

// kinds opens a classifier whose labels are markup.
func kinds(context.Context) (*Model, error) {
	return &Model{
		Entities: []string{markup, "plain"}, Relations: []string{markup},
		Classes: func(_ context.Context, node string, _ int) (classify.Prediction, error) {
			label := markup
			return classify.Prediction{Node: node, Label: &label, Answers: []classify.Answer{
				{Class: markup, Probability: 0.75, Rank: 1}, {Class: "other", Probability: 0.25, Rank: 2},
			}}, nil
		},
	}, nil
}

// TestPageInBrowser finds an entity and follows its facts and predictions by keyboard, in all
// views, and checks that labels are text.
func TestPageInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	_, h := start(t, nil, Source{"kinds", kinds})
	for _, v := range browsertest.Views {
		t.Run(v.String(), func(t *testing.T) {
			p := b.Open(t, h.URL, v)
			p.Wait(`document.querySelector("#results .structure rect")`)
			p.Wait(`document.getElementById("about").textContent.includes("844 entities")`)
			p.Fits()
			p.Screenshot("serve-model-" + v.String())

			p.Type(kb.Tab) // the choice of a model
			p.Type(kb.Tab)
			p.Wait(`document.activeElement.id === "entity"`)
			p.Type("portu")
			p.Wait(`document.querySelector("#found [role=option]")?.textContent === "Portugal"`)
			p.Wait(`document.getElementById("entity").ariaExpanded === "true"`)
			p.Screenshot("serve-search-" + v.String())
			p.Type(kb.Escape)
			p.Wait(`document.getElementById("found").hidden`)
			p.Type(kb.ArrowDown)
			p.Wait(`document.querySelector("#found [role=option]")`)
			p.Type(kb.ArrowDown)
			p.Wait(`document.querySelector("#found [aria-selected=true]").textContent === "Portugal"`)
			p.Type(kb.Enter)
			p.Wait(`document.querySelector("#shown")?.textContent === "Portugal"`)
			p.Wait(`document.title === "Portugal · AutoBLM"`)
			p.Wait(`document.querySelectorAll("#answers tbody tr").length > 4`)
			p.Wait(`document.querySelector("#answers .hit").closest("tr").textContent.includes("known")`)
			p.Wait(`document.querySelector(".facts-list").textContent.includes("Spain")`)
			p.Wait(`document.querySelectorAll("#similar tbody tr").length === 10`)
			p.Fits()
			p.Screenshot("serve-entity-" + v.String())

			browsertest.Eval[any](p, `document.querySelector("#answers .why").focus()`)
			p.Type(kb.Enter)
			p.Wait(`document.querySelectorAll("#answers .because li").length === 3`)
			p.Wait(`document.activeElement.ariaExpanded === "true"`)
			p.Fits()
			p.Screenshot("serve-why-" + v.String())
			p.Type(" ")
			p.Wait(`document.querySelector("#answers .because") === null`)

			browsertest.Eval[any](p, `document.querySelector("#relation").focus()`)
			p.Type("loc")
			p.Wait(`document.querySelector("#answers caption").textContent === "(Portugal, located_in, ?)"`)
			browsertest.Eval[any](p, `[...document.querySelectorAll(".facts-list a")]
				.find((a) => a.textContent === "Spain").focus()`)
			p.Type(kb.Enter)
			p.Wait(`document.querySelector("#shown").textContent === "Spain"`)
			browsertest.Eval[any](p, `history.back()`)
			p.Wait(`document.querySelector("#shown").textContent === "Portugal"`)
			p.Wait(`document.querySelector("#answers caption")?.textContent === "(Portugal, located_in, ?)"`)

			browsertest.Eval[any](p, `location.hash = new URLSearchParams({ model: "kinds" })`)
			p.Wait(`document.getElementById("title").textContent === "kinds"`)
			p.Click("#entity")
			p.Fill("#entity", "img")
			p.Wait(`document.querySelector("#found [role=option]")?.textContent.startsWith("<img src=x")`)
			p.Type(kb.Enter)
			p.Wait(`document.querySelector("#results td.hit")?.textContent === "label"`)
			p.Wait(`document.querySelector("#shown").textContent.startsWith("<img src=x")`)
			p.Fits()
			p.Screenshot("serve-classes-" + v.String())
			browsertest.Eval[any](p, `location.hash = new URLSearchParams({ model: "world" })`)
			p.Wait(`document.querySelector("#results summary") && document.getElementById("entity").value === ""`)
			browsertest.Eval[any](p, `document.querySelector("#results summary").focus()`)
			p.Type(kb.Enter)
			p.Wait(`document.querySelectorAll(".map rect").length === 844`)
			p.Wait(`document.querySelectorAll(".map-groups span").length === 7`)
			browsertest.Eval[any](p, `void fetch("v1/map?model=world").then((a) => a.json())
				.then((map) => { window.places = map.places; })`)
			const ratio = `((places) => ((length) => length("x") / length("y"))((axis) =>
				Math.max(...places.map((p) => p[axis])) - Math.min(...places.map((p) => p[axis]))))`
			p.Wait(`window.places && Math.abs(` + ratio + `(window.places) /
				` + ratio + `([...document.querySelectorAll(".map rect")].map((r) => r.getBBox())) - 1) < 0.01`)
			p.Type(kb.Tab)
			p.Type(kb.ArrowRight)
			p.Wait(`document.querySelectorAll(".map .selected").length === 1`)
			selected := browsertest.Eval[string](p, `document.querySelector("#place a").textContent`)
			p.Type(kb.ArrowDown)
			p.Wait(`document.querySelector("#place a").textContent !== "` + selected + `"`)
			p.Fits()
			p.Screenshot("serve-map-" + v.String())
			selected = browsertest.Eval[string](p, `document.querySelector("#place a").textContent`)
			p.Type(kb.Enter)
			p.Wait(`document.querySelector("#shown")?.textContent === "` + selected + `"`)
			browsertest.Eval[any](p, `location.hash = new URLSearchParams({ model: "world", entity: "Africa" })`)
			p.Wait(`document.querySelector("#relation optgroup [value=located_in]")?.parentElement.label === "in its known facts"`)
			if browsertest.Eval[bool](p, `document.title === "run" || document.querySelector("img") !== null`) {
				t.Error("a label was taken for HTML")
			}
		})
	}
}

// TestEarlyEnterInBrowser: a list of an earlier text does not answer Enter, however slow the server
// is; and a model that is not served is an error.
func TestEarlyEnterInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	s, _ := start(t, nil)
	handler := s.Handler()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Query().Get("q"), "spai") {
			time.Sleep(300 * time.Millisecond)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	p := b.Open(t, h.URL, browsertest.View{Width: 800})
	p.Click("#entity")
	p.Fill("#entity", "portu")
	p.Wait(`document.querySelector("#found [role=option]")?.textContent === "Portugal"`)
	p.Fill("#entity", "spai")
	p.Type(kb.Enter)
	p.Wait(`document.querySelector("#shown")?.textContent === "Spain"`)
	browsertest.Eval[any](p, `location.hash = new URLSearchParams({ model: "other", entity: "Spain" })`)
	p.Wait(`document.getElementById("status").textContent === "The server has no model other."`)
	p.Wait(`document.querySelector("#shown") === null`)
}

// TestAllFactsInBrowser: a button shows the facts that are left out.
func TestAllFactsInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	s, _ := start(t, nil)
	handler := s.Handler()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") == "200" { // as if Europe had more facts
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=200", "limit=9", 1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	p := b.Open(t, h.URL+"/#entity=Europe", browsertest.View{Width: 800})
	p.Wait(`document.querySelectorAll(".facts-list a").length === 9`)
	p.Wait(`/^show [0-9]+ more$/.test(document.getElementById("more").textContent)`)
	p.Click("#more")
	p.Wait(`document.getElementById("more") === null`)
	p.Wait(`document.querySelectorAll(".facts-list a").length > 40`)
}

// TestLostRelationsInBrowser: the page finds the relations again after a request for them failed.
func TestLostRelationsInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	s, _ := start(t, nil)
	var asked atomic.Int64
	handler := s.Handler()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/relations" && asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"detail":"too busy"}`)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	p := b.Open(t, h.URL+"/#entity=Spain", browsertest.View{Width: 800})
	p.Wait(`document.getElementById("status").textContent.includes("too busy")`)
	p.Forgive("503") // which the browser logs
	browsertest.Eval[any](p, `location.hash = new URLSearchParams({ entity: "Portugal" })`)
	p.Wait(`document.querySelector("#shown")?.textContent === "Portugal"`)
	p.Wait(`document.querySelectorAll("#relation option").length > 1`)
}

// TestTokenInBrowser checks that the page asks for the token.
func TestTokenInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	_, h := start(t, func(o *Options) { o.Token = "secret" })
	p := b.Open(t, h.URL, browsertest.View{Width: 360})
	p.Wait(`document.activeElement.id === "token"`)
	p.Screenshot("serve-token")
	p.Type("wrong" + kb.Enter)
	p.Wait(`document.getElementById("refused").textContent === "The token is wrong."`)
	p.Fill("#token", "secret")
	p.Type(kb.Enter)
	p.Wait(`!document.getElementById("ask").hidden`)
	p.Wait(`document.querySelector("#results .structure")`)
	p.Forgive("401") // which the browser logs
}
