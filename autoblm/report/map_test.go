package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/browsertest"
	"github.com/autoblm/autoblm-go/internal/require"
)

// TestMapInBrowser finds entities on a page with a map.
func TestMapInBrowser(t *testing.T) {
	b := browsertest.Start(t)
	m := &task.Map{Note: "A plane."}
	for i := range 300 {
		place := task.Place{
			Name: fmt.Sprintf("entity %d", i), Group: fmt.Sprintf("tail of r%d", i%12),
			X: float64(i % 17), Y: float64(i % 23),
		}
		m.Places = append(m.Places, place)
	}
	for i := range 20 {
		m.Places[i].Group = "" // they are the other ones
	}
	m.Places[7].Name = `<b>Köln & "Bonn"</b>`
	var page bytes.Buffer
	require.NoError(t, NewMap("Map of x", []string{"ComplEx"}, m).Write(&page, ""))
	file := filepath.Join(t.TempDir(), "map.html")
	require.NoError(t, os.WriteFile(file, page.Bytes(), 0o666))
	const (
		field   = `.chart input`
		answer  = `document.querySelector(".chart [role=status]").textContent`
		tip     = `document.getElementById("tip")`
		chart   = `Chart.getChart(document.querySelector(".chart canvas:not(.mark)"))`
		largest = chart + `.data.datasets.flatMap(
			d => d.data.filter((p, i) => Array.isArray(d.pointRadius) && d.pointRadius[i] === 7))`
	)
	for _, v := range browsertest.Views {
		t.Run(v.String(), func(t *testing.T) {
			p := b.Open(t, "file://"+filepath.ToSlash(file), v)
			p.Wait(`document.querySelector("` + field + `")`)
			p.Fits()
			p.Wait(`((looks) => looks.length === 13 && new Set(looks).size === 13)
				(` + chart + `.data.datasets.map((d) => d.pointStyle + d.borderColor))`)
			p.Wait(`((units) => Math.abs(units[0] / units[1] - 1) < 0.01)(["x", "y"].map((key) =>
				Math.abs(` + chart + `.scales[key].getPixelForValue(1) - ` + chart + `.scales[key].getPixelForValue(0))))`)
			p.Fill(field, "köln")
			p.Wait(answer + ` === '<b>Köln & "Bonn"</b>'`)
			p.Wait(largest + `.length === 1`)
			p.Wait(`!` + tip + `.hidden && ` + tip + `.textContent.includes("Bonn")`)
			p.Screenshot("map-" + v.String())
			p.Fill(field, "entity 29")
			p.Wait(answer + `.endsWith(" and 6 more")`) // 29 and 290 to 299
			p.Wait(largest + `.length === 11`)
			p.Fill(field, "nowhere")
			p.Wait(answer + ` === "not on this map" && ` + tip + `.hidden`)
			p.Fill(field, "")
			p.Wait(answer + ` === "" && ` + largest + `.length === 0`)
			p.Fits()
		})
	}
}
