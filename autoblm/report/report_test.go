package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search"
	stages "github.com/autoblm/autoblm-go/autoblm/search/stage"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/webpage"
)

// searched returns the data of a small search with all stages. The search runs once.
var searched = sync.OnceValues(func() (Data, error) {
	settings := search.BasicSettings()
	settings.Budget, settings.Candidates = 24, 16
	settings.Training.Dim, settings.Training.Epochs, settings.Training.Batch = 8, 3, 16
	settings.Tune = search.DefaultTune()
	settings.Tune.Trials = 3
	settings.Final = search.DefaultFinal()
	settings.Final.Trials, settings.Final.Epochs, settings.Final.ValidateEvery = 2, 3, 1
	settings.Final.Ranges.Dims = []int{8, 16}
	algorithm := strategy.Evolutionary{}
	engine := cpu.New(1)
	defer engine.Close()
	on := &completion.Task{Graph: enginetest.Graph(), Engine: engine}
	problem := search.Problem{Task: on, Strategy: algorithm, Settings: settings}
	result, err := stages.Run(context.Background(), problem)
	if err != nil {
		return Data{}, err
	}
	about, err := study.Describe(on, algorithm, settings)
	if err != nil {
		return Data{}, err
	}
	about.Stopped = result.Stopped
	best, err := result.Artifact.Files()
	if err != nil {
		return Data{}, err
	}
	d := Data{
		Contents: study.Contents{
			About: about, Trials: result.Trials, Rounds: result.Rounds, Best: best,
		},
		Date:     time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Program:  "a test",
		Commands: []Command{{"Run it again", "autoblm search --dataset <this> & that"}},
	}
	return d, d.Measure(context.Background(), on)
})

func ofSearch(t *testing.T) Data {
	t.Helper()
	d, err := searched()
	require.NoError(t, err)
	return d
}

func written(t *testing.T, d Data) string {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, Write(&page, d))
	return page.String()
}

// failing returns a study in which all trials diverged.
func failing() Data {
	settings := search.BasicSettings()
	settings.K, settings.Training.Dim = 3, 60
	about := study.About{
		Identity: task.Identity{Dataset: "nowhere"}, Algorithm: "autoblm", Settings: settings,
	}
	d := Data{
		Presentation: completion.NewPresentation(),
		Contents:     study.Contents{About: about},
		NoData:       "the folder is gone.",
	}
	for i := range 3 {
		d.Trials = append(d.Trials, task.Trial{
			Number: i + 1, Stage: task.Searching, Round: 1, State: task.Diverged,
			Structure: structure.MustParse("1,0,0;0,2,0;0,0,3"),
			Error:     "training diverged in epoch 1",
		})
	}
	return d
}

// studies returns data of every kind, also incomplete ones.
func studies(t *testing.T) map[string]Data {
	whole := ofSearch(t)
	withoutTest := whole
	withoutTest.Measures, withoutTest.Trials = nil, slices.Clone(whole.Trials)
	for i := range withoutTest.Trials {
		if trial := withoutTest.Trials[i]; trial.Score != nil {
			valid := completion.EvaluationsOf(trial.Details).Valid
			withoutTest.Trials[i] = withResult(trial, valid, nil)
		}
	}
	unfinished := whole
	unfinished.Best, unfinished.Measures = nil, nil
	unfinished.Trials = slices.Clone(whole.Trials[:12])
	for i := range unfinished.Trials[10:] {
		unfinished.Trials[10+i] = task.Trial{
			Number: 11 + i, Stage: task.Searching, Round: 1, State: task.Running,
			Structure: unfinished.Trials[10+i].Structure,
		}
	}
	withoutPredictor := whole
	withoutPredictor.About.Settings.Predictor = nil
	withoutPredictor.Trials = slices.Clone(whole.Trials)
	for i := range withoutPredictor.Trials {
		withoutPredictor.Trials[i].Prediction = nil
	}
	one := whole
	one.Best, one.Measures, one.Trials, one.Rounds = nil, nil, whole.Trials[:1], nil
	nothing := Data{Contents: study.Contents{About: study.About{Settings: search.BasicSettings()}}}
	all := map[string]Data{
		"whole":             whole,
		"without graph":     withoutData(whole),
		"without test":      withoutTest,
		"unfinished":        unfinished,
		"without predictor": withoutPredictor,
		"all failed":        failing(),
		"one trial":         one,
		"nothing":           nothing,
		"zero":              {},
	}
	maps.Copy(all, studiesOfTasks(t))
	return all
}

// textOf returns the data of the page as text, without the escapes of HTML.
func textOf(t *testing.T, d Data) string {
	t.Helper()
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(NewPage(d)))
	return text.String()
}

var dataBlock = regexp.MustCompile(`(?s)<script type="application/json" id="page">(.*?)</script>`)

// readBack parses the data in a written page.
func readBack(t *testing.T, page string) (p Page) {
	t.Helper()
	block := dataBlock.FindStringSubmatch(page)
	if block == nil {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(block[1]), &p); err != nil {
		t.Fatalf("the data of the page: %v", err)
	}
	return p
}

// outside matches references that a browser would load.
var outside = regexp.MustCompile(
	`(?i)(\bsrc\s*=|@import|\burl\s*\(\s*['"]?[a-z]|<link|<iframe|<img|\bhref\s*=\s*"[^#])`,
)

// TestPages checks that pages of all kinds of studies are deterministic, load nothing and hold
// their data.
func TestPages(t *testing.T) {
	for name, d := range studies(t) {
		t.Run(name, func(t *testing.T) {
			page := written(t, d)
			if again := written(t, d); page != again {
				t.Error("written twice, the bytes differ")
			}
			// The library has links in comments, which nothing loads.
			own := strings.Replace(page, ChartLibrary(), "", 1)
			if len(own) == len(page) {
				t.Fatal("the page lacks its library")
			}
			if found := outside.FindString(own); found != "" {
				t.Errorf("the page has %q", found)
			}
			if !strings.Contains(page, `content="default-src 'none';`) ||
				strings.Contains(own, "connect-src") {
				t.Error("the policy of the page allows requests")
			}
			p := readBack(t, page)
			if !reflect.DeepEqual(p, *NewPage(d)) {
				t.Error("the data in the page differ")
			}
			ids := map[string]bool{}
			for _, s := range p.Sections {
				if ids[s.ID] || s.Title == "" || len(s.Parts) == 0 {
					t.Errorf("the section %q is empty or occurs twice", s.ID)
				}
				ids[s.ID] = true
			}
			for _, bad := range []string{"NaN", "Inf", "%!", "<nil>", "ZgotmplZ"} {
				if text := textOf(t, d); strings.Contains(text, bad) {
					at := strings.Index(text, bad)
					t.Errorf("%q in the page: …%s…", bad, text[max(0, at-80):min(len(text), at+40)])
				}
			}
		})
	}
}

// TestLivePage checks that only a live page may connect, and to its own server.
func TestLivePage(t *testing.T) {
	var page bytes.Buffer
	require.NoError(t, NewPage(ofSearch(t)).Write(&page, "/events?study=a&b"))
	for _, words := range []string{"connect-src 'self'", `data-events="/events?study=a&amp;b"`} {
		if !strings.Contains(page.String(), words) {
			t.Errorf("the page lacks %q", words)
		}
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	d := ofSearch(t)
	evil := `"><script>alert(1)</script><img src=x onerror="alert(2)">` + "'`\x00"
	d.About.Dataset, d.About.Algorithm, d.Program = evil, evil, evil
	d.Commands = []Command{{evil, evil}}
	label := func(string) any { return evil }
	table := page.NewTable(evil, []string{evil}, page.Text(evil, label), page.Number(evil, label))
	d.Measures = &task.Measures{Data: []page.Part{{Heading: evil, Text: evil, Table: table}}}
	d.Trials = slices.Clone(d.Trials)
	last := &d.Trials[len(d.Trials)-1]
	last.State, last.Error, last.Engine = task.Diverged, evil, evil
	page := written(t, d)
	if n := strings.Count(page, "<script"); n != 3 || strings.Contains(page, "<img") {
		t.Errorf("the page has %d scripts, want 3, or a label became an element", n)
	}
	if strings.Count(textOf(t, d), "<script>") < 6 {
		t.Error("some labels are missing")
	}
	if p := readBack(t, page); !strings.HasSuffix(p.Title, evil) {
		t.Errorf("the title is %q", p.Title)
	}
}

func TestPageSize(t *testing.T) {
	d := ofSearch(t)
	template := d.Trials[len(d.Trials)-3]
	for i := range 1000 {
		more := template
		more.Number, more.Stage, more.Round = len(d.Trials)+1, task.Searching, 4+i/8
		d.Trials = append(slices.Clone(d.Trials), more)
		if i == 40 {
			if size := len(written(t, d)); size > 500_000 {
				t.Errorf("64 structures make a page of %d bytes", size)
			}
		}
	}
	if size := len(written(t, d)); size > 2_000_000 {
		t.Errorf("a thousand structures make a page of %d bytes", size)
	}
}

// TestCorrelationNeedsPoints: the page shows a correlation of at least 20 structures.
func TestCorrelationNeedsPoints(t *testing.T) {
	for n, want := range map[int]bool{19: false, 20: true} {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(i*7%n) / 100
		}
		trials := trialsWith(scores)
		for i := range trials {
			trials[i].Prediction = &scores[i]
		}
		d := Data{Contents: study.Contents{Trials: trials}}
		if got := strings.Contains(textOf(t, d), "Spearman"); got != want {
			t.Errorf("%d structures: a correlation is shown: %t", n, got)
		}
	}
}

func TestSave(t *testing.T) {
	d := ofSearch(t)
	path := filepath.Join(t.TempDir(), "new folder", "kin.html")
	pictures, err := Save(path, d)
	require.NoError(t, err)
	page, err := os.ReadFile(path)
	if err != nil || string(page) != written(t, d) {
		t.Errorf("the file is not the page: %v", err)
	}
	begins := map[string]string{".png": "\x89PNG", ".svg": "<?xml"}
	want := 2 * len(Pictures(d))
	if len(pictures) != want || want != 8 {
		t.Errorf("%d files of pictures, want %d, which should be 8", len(pictures), want)
	}
	for _, picture := range pictures {
		content, err := os.ReadFile(picture)
		if err != nil || !strings.HasPrefix(string(content), begins[filepath.Ext(picture)]) {
			t.Errorf("%s is no picture: %v", picture, err)
		}
		if filepath.Dir(picture) != filepath.Join(filepath.Dir(path), "kin_files") {
			t.Errorf("%s is in another folder", picture)
		}
	}
	if pictures, err := Save(path, failing()); err != nil || len(pictures) != 0 {
		t.Errorf("a study without results: %v, %v", pictures, err)
	}
}

func TestPageIsComplete(t *testing.T) {
	d := ofSearch(t)
	page := textOf(t, d)
	for _, words := range []string{
		"AutoBLM+ on enginetest", "20 November 2026", "finished", "24 structures in ", "engine cpu",
		"DistMult", "SimplE", "ComplEx", "Analogy", "QuatE", "Found 5", "not used for selection",
		"By side", "By relation pattern", "anti-symmetric", "mirrors",
		"3 random recipes", "1, chosen", "Final stage", "repeats", "seconds to propose",
		"37 entities and 3 relations", "Probability that a mutation",
		"autoblm search --dataset <this> & that", "Written by a test",
	} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, trial := range d.Trials {
		if !strings.Contains(page, `"structure":"`+trial.Structure.String()+`"`) {
			t.Errorf("trial %d is missing", trial.Number)
		}
	}
}

func TestPageReportsMissingParts(t *testing.T) {
	all := studies(t)
	for name, words := range map[string][]string{
		"without graph": {
			"By relation and relation pattern: the folder is gone.",
			"are not available: the folder is gone.",
		},
		"unfinished": {"2 trials without a result yet", "no result yet"},
		"all failed": {
			"All 3 structures diverged", "training diverged in epoch 1", "count as trained",
		},
		"nothing": {"No structure has a result yet."},
	} {
		page := textOf(t, all[name])
		for _, w := range words {
			if !strings.Contains(page, w) {
				t.Errorf("%s: the page does not say %q", name, w)
			}
		}
	}
}

// variablesOf reads the colours of the first block after a text in the sheet.
func variablesOf(sheet, after string) map[string]string {
	_, sheet, _ = strings.Cut(sheet, after)
	block, _, _ := strings.Cut(sheet, "}")
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
		found[m[1]] = m[2]
	}
	return found
}

// linear inverts the gamma of sRGB.
func linear(channel int) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// TestContrast requires a contrast of 4.5 between text and its background, as WCAG 2 does.
func TestContrast(t *testing.T) {
	luminance := func(hex string) float64 {
		var r, g, b int
		if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	themes := map[string]string{"light": ":root {", "dark": "(prefers-color-scheme: dark) {"}
	for theme, after := range themes {
		colours := variablesOf(webpage.StyleSheet, after)
		for i, block := range []string{"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"} {
			label := "#111111"
			if i == 1 || i == 3 {
				label = colours["onblock"]
			}
			a, b := luminance(label), luminance(colours[block])
			if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
				t.Errorf("%s: contrast of the label on block %s is %.1f", theme, block, contrast)
			}
		}
		for _, text := range []string{"text", "soft", "accent", "hit", "miss"} {
			for _, ground := range []string{"ground", "raised", "chosen"} {
				a, b := luminance(colours[text]), luminance(colours[ground])
				if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
					t.Errorf("%s: contrast of %s on %s is %.1f", theme, text, ground, contrast)
				}
			}
		}
	}
}

// TestNoVerdictYet checks that a running search is not judged, and that trials which failed for
// another reason than divergence name it.
func TestNoVerdictYet(t *testing.T) {
	d := ofSearch(t)
	d.InUse = &study.InUseError{}
	if got := d.Verdict(); len(got) != 1 || !strings.Contains(got[0], "No verdict before the search ends") {
		t.Errorf("a running search: %q", got)
	}
	failed := studies(t)["all failed"]
	failed.Trials = slices.Clone(failed.Trials)
	for i := range failed.Trials {
		failed.Trials[i].State, failed.Trials[i].Error = task.Lost, "3 workers were lost"
	}
	if got := failed.Verdict()[0]; got != "No structure has a result: 3 workers were lost." {
		t.Errorf("lost workers: %q", got)
	}
}
