package report

import (
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/internal/browsertest"
	"github.com/autoblm/autoblm-go/internal/webpage"
	"github.com/chromedp/chromedp/kb"
)

// TestPageInBrowser sorts, filters and unfolds the page of a search, and points at its charts.
func TestPageInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	d := ofSearch(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if _, err := Save(file, d); err != nil {
		t.Fatal(err)
	}
	const (
		// rows is an expression for the visible rows of the table of trials.
		rows = `[...document.querySelectorAll(".trials tbody tr")]`
		// valid is an expression for their scores in order, without missing ones.
		valid = `((i) => ` + rows + `.map((r) => parseFloat(r.cells[i].textContent))
			.filter((x) => !isNaN(x)))(document.getElementById("sort-valid").parentElement.cellIndex)`
		// found is an expression for the ranks of the visible structures that were found, in order.
		found = rows + `.flatMap((r) => /found (\d+)/.exec(r.querySelector("[data-key=name]").textContent)?.slice(1).map(Number) ?? [])`
		// fits is a function: all of an element is visible without scrolling it.
		fits = `((e) => e.scrollWidth <= e.clientWidth)`
		// point is an expression for the place of a trial in a chart, scrolled into view.
		point = `(() => {
			for (const canvas of document.querySelectorAll("canvas")) {
				const chart = Chart.getChart(canvas);
				if (!chart) continue;
				for (const [i, d] of chart.data.datasets.entries()) {
					const j = d.data.findIndex((p) => p.trial);
					if (j < 0) continue;
					canvas.scrollIntoView({ block: "center", behavior: "instant" });
					const r = canvas.getBoundingClientRect();
					const { x, y } = chart.getDatasetMeta(i).data[j].getProps(["x", "y"], true);
					return [r.x + x, r.y + y];
				}
			}
		})()`
	)
	for _, v := range browsertest.Views {
		t.Run(v.String(), func(t *testing.T) {
			p := b.Open(t, "file://"+filepath.ToSlash(file), v)
			p.Wait(rows + `.length > 10`)
			p.Fits()
			p.Screenshot("report-" + v.String())

			p.Click("#sort-valid")
			p.Wait(valid + `.every((x, i, all) => i === 0 || x <= all[i - 1])`)
			p.Wait(`document.getElementById("sort-valid").parentElement.ariaSort === "descending"`)
			p.Click("#sort-valid")
			p.Wait(valid + `.every((x, i, all) => i === 0 || x >= all[i - 1])`)
			p.Click("#sort-name")
			p.Wait(found + `.includes(10) && ` + found + `.every((x, i, all) => i === 0 || x >= all[i - 1])`)

			p.Fill("#filter", "quate")
			p.Wait(rows + `.length > 0 && ` + rows + `.every((r) => /quate/i.test(r.textContent))`)
			p.Fill("#filter", "")
			p.Wait(rows + `.length > 10`)
			for range 4 { // the stage, the count of rows, the table and its first header
				if browsertest.Eval[bool](p, `document.activeElement.id === "sort-number"`) {
					break
				}
				p.Type(kb.Tab)
			}
			p.Type(kb.Enter)
			p.Wait(`document.getElementById("sort-number").parentElement.ariaSort !== null`)
			p.Wait(`document.activeElement.id === "sort-number"`)

			x, y := p.MoveUntil(point, `!document.getElementById("tip").hidden`)
			p.Wait(`document.querySelector("#tip svg.structure")`)
			p.ClickAt(x, y)
			p.Wait(`document.querySelector("tr.found")`)
			p.Wait(`document.querySelectorAll("#trials").length === 1`)

			p.Wait(`!document.getElementById("main").innerText.match(/^(false|undefined|null)$/m)`)
			p.Wait(fits + `(document.querySelector(".trials").parentElement)`)
			keysOverPoints(p)

			p.Click("#settings summary")
			p.Wait(`document.querySelector("#settings details").open`)
			p.Fits()
			isLightInPrint(p)
		})
	}
}

// isLightInPrint checks the colours of the first chart before, during and after printing.
func isLightInPrint(p *browsertest.Page) {
	const colour = `Chart.getChart(document.querySelector("#trials .canvas canvas")).options.scales.x.ticks.color`
	before := browsertest.Eval[string](p, colour)
	browsertest.Eval[any](p, `dispatchEvent(new Event("beforeprint"))`)
	p.Wait(colour + ` === "` + variablesOf(webpage.StyleSheet, ":root {")["soft"] + `"`)
	browsertest.Eval[any](p, `dispatchEvent(new Event("afterprint"))`)
	p.Wait(colour + ` === "` + before + `"`)
}

// keysOverPoints moves over the points of the first chart with the keyboard alone.
func keysOverPoints(p *browsertest.Page) {
	const said = `document.getElementById("said").textContent`
	browsertest.Eval[any](p, `document.querySelector("#nav a").focus()`)
	p.Wait(`document.activeElement.closest("#nav")`)
	p.MoveTo(`[1, 1]`) // away from the chart
	p.Wait(`document.getElementById("tip").hidden`)
	for !browsertest.Eval[bool](p, `document.activeElement.matches("#trials canvas")`) {
		p.Type(kb.Tab)
	}
	p.Type(kb.ArrowRight)
	p.Wait(said + `.includes("trial 1,") && ` + said + `.endsWith("point 1 of 34")`)
	p.Wait(`!document.getElementById("tip").hidden`)
	// A page that scrolls under a mouse at rest gives such an event.
	browsertest.Eval[any](p, `(() => {
		document.activeElement.dispatchEvent(new MouseEvent("mousemove", { clientX: 3, clientY: 3 }));
		requestAnimationFrame(() => requestAnimationFrame(() => { window.isHandled = true; }));
	})()`)
	p.Wait(`window.isHandled && !document.getElementById("tip").hidden`)
	p.Type(kb.ArrowRight + kb.ArrowRight + kb.ArrowLeft)
	p.Wait(said + `.includes("trial 2,")`)
	p.Type(kb.End)
	p.Wait(said + `.endsWith("point 34 of 34")`)
	p.Type(kb.Enter)
	p.Wait(`document.activeElement.id === "trial-34"`)
	p.Wait(`document.getElementById("tip").hidden`)
}

// TestAllPagesInBrowser opens the pages of all kinds of studies, also of incomplete ones.
func TestAllPagesInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	for name, d := range studies(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report.html")
			if _, err := Save(file, d); err != nil {
				t.Fatal(err)
			}
			p := b.Open(t, "file://"+filepath.ToSlash(file), browsertest.Views[1])
			p.Wait(`document.querySelector("h1")`)
			p.Wait(`((ids) => ids.length > 0 && new Set(ids).size === ids.length)
				([...document.querySelectorAll("[id]")].map((e) => e.id))`)
			p.Fits()
			p.Screenshot(t.Name())
		})
	}
}
