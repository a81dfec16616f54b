package show

import (
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

func TestLearningCurve(t *testing.T) {
	got := LearningCurve("ComplEx", []kge.Validation{{Epoch: 5, MRR: 0.1}, {Epoch: 10, MRR: 0.3}})
	want := plot.Series{Name: "ComplEx", Points: []plot.Point{{X: 5, Y: 0.1}, {X: 10, Y: 0.3}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// spec matches the data of a chart in its HTML.
var spec = regexp.MustCompile(`drawChart\("show-[^"]+", (\{.*\})\)\}\)\(\);</script>$`)

// TestChartsWithHover checks that a notebook that a person runs receives the picture and the data,
// and that other notebooks receive the picture only.
func TestChartsWithHover(t *testing.T) {
	curve := plot.Curve{
		Title: "a search", X: "structures", Y: "MRR", Levels: []plot.Level{{Name: "ComplEx", Y: 0.4}},
		Series: []plot.Series{{
			Name: "</script>", Style: plot.Steps, Points: []plot.Point{{X: 1, Y: 0.2}, {X: 3, Y: 0.5}},
			Band: []plot.Range{{X: 1, Low: 0.1, High: 0.3}},
		}},
	}
	scatter := plot.Scatter{Clouds: []plot.Cloud{{Points: []plot.Point{{X: 0.1, Y: 0.2}}}}}
	for _, c := range []struct {
		show    func()
		picture plot.Picture
		want    []map[string]any // series
	}{
		{func() { Curve(curve) }, curve.Picture(), []map[string]any{
			{"name": "</script>", "style": "steps", "points": []any{
				map[string]any{"x": 1.0, "y": 0.2, "label": "0.100 to 0.300"},
				map[string]any{"x": 3.0, "y": 0.5},
			}},
			{"name": "ComplEx", "style": "level", "points": []any{
				map[string]any{"x": 1.0, "y": 0.4}, map[string]any{"x": 3.0, "y": 0.4},
			}},
		}},
		{func() { Scatter(scatter) }, scatter.Picture(), []map[string]any{
			{"name": "", "style": "dots", "points": []any{map[string]any{"x": 0.1, "y": 0.2}}},
		}},
	} {
		n := openNotebook(t)
		c.show()
		if _, found := n.only().Data[protocol.MIMETextHTML]; found {
			t.Error("HTML in a notebook that nobody looks at")
		}
		n = openNotebook(t)
		here.interactive = true
		c.show()
		html, _ := n.only().Data[protocol.MIMETextHTML].(string)
		png, err := c.picture.PNG()
		require.NoError(t, err)
		if !strings.Contains(html, base64.StdEncoding.EncodeToString(png)) {
			t.Error("the picture is missing")
		}
		var got struct{ Series []map[string]any }
		found := spec.FindStringSubmatch(html)
		if found == nil {
			t.Fatal("the data are missing")
		}
		require.NoError(t, json.Unmarshal([]byte(found[1]), &got))
		if diff := cmp.Diff(c.want, got.Series); diff != "" {
			t.Error(diff)
		}
		if n := strings.Count(html, "</script>"); n != 1 {
			t.Errorf("the script ends %d times", n)
		}
	}
}

// TestTrialsName checks that the points of a study name the structures of their trials.
func TestTrialsName(t *testing.T) {
	s := tiny()
	s.Study = filepath.Join(t.TempDir(), "study.db")
	found, err := autoblm.Search(t.Context(), datasets.World(), s)
	require.NoError(t, err)
	n := openNotebook(t)
	here.interactive = true
	Study(s.Study)
	html, _ := n.sent[len(n.sent)-1].Data[protocol.MIMETextHTML].(string)
	if want := found.Best[0].Structure.String(); !strings.Contains(html, want) {
		t.Errorf("no point names %s", want)
	}
}

// TestEmptyCharts: a chart without points does not replace its picture.
func TestEmptyCharts(t *testing.T) {
	for name, show := range map[string]func(){
		"a level": func() { Curve(plot.Curve{Levels: []plot.Level{{Name: "ComplEx", Y: 0.4}}}) },
		"nothing": func() { showChart(plot.Curve{}.Picture(), report.Chart{}) },
	} {
		n := openNotebook(t)
		here.interactive = true
		show()
		if _, found := n.only().Data[protocol.MIMETextHTML]; found {
			t.Errorf("%s: a chart in place of the picture", name)
		}
	}
}
