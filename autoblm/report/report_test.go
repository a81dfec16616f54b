package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
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
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t *testing.T, d Data) string {
	t.Helper()
	var page bytes.Buffer
	if err := Write(&page, d); err != nil {
		t.Fatal(err)
	}
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
			Number: i + 1, Stage: task.Searching, Round: 1, State: task.Failed,
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
	nothing := Data{Contents: study.Contents{About: study.About{Settings: search.BasicSettings()}}}
	all := map[string]Data{
		"whole":             whole,
		"without graph":     withoutData(whole),
		"without test":      withoutTest,
		"unfinished":        unfinished,
		"without predictor": withoutPredictor,
		"all failed":        failing(),
		"nothing":           nothing,
		"zero":              {},
	}
	maps.Copy(all, studiesOfTasks(t))
	return all
}

// element is a start tag and the elements around it.
type element struct {
	name       string
	attributes map[string]string
	inside     []string
}

// elements parses a page and fails if tags do not match.
func elements(t *testing.T, page string) []element {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	var all []element
	var open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			line, _ := decoder.InputPos()
			t.Fatalf("the page is not well formed: %v, in %q", err, strings.Split(page, "\n")[line-1])
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, inside: slices.Clone(open)}
			e.attributes = map[string]string{}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			all = append(all, e)
			open = append(open, e.name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

var outside = regexp.MustCompile(
	`(?i)(://|src\s*=|@import|url\s*\(|href\s*=\s*"[^#]|<link|<script|<iframe|\bon[a-z]+\s*=\s*")`,
)

// TestPages checks that pages are well formed, accessible, deterministic and without references to
// other files.
func TestPages(t *testing.T) {
	for name, d := range studies(t) {
		t.Run(name, func(t *testing.T) {
			page := written(t, d)
			if again := written(t, d); page != again {
				t.Error("written twice, the bytes differ")
			}
			if found := outside.FindString(page); found != "" {
				t.Errorf("the page has %q", found)
			}
			ids := map[string]int{}
			var links []string
			for _, e := range elements(t, page) {
				if id := e.attributes["id"]; id != "" {
					ids[id]++
				}
				switch e.name {
				case "html":
					if e.attributes["lang"] == "" {
						t.Error("no language")
					}
				case "a":
					links = append(links, e.attributes["href"])
				case "th":
					if scope := e.attributes["scope"]; scope != "col" && scope != "row" {
						t.Errorf("a header cell has the scope %q", scope)
					}
				case "svg":
					if e.attributes["role"] != "img" || e.attributes["aria-label"] == "" {
						t.Errorf("a picture without a label: %v", e.attributes)
					}
				case "table":
					if !slices.Contains(e.inside, "div") {
						t.Error("a table that does not scroll in a box")
					}
				case "section":
					if e.attributes["aria-labelledby"] != e.attributes["id"]+"-title" {
						t.Errorf("a section without a label: %v", e.attributes)
					}
				}
			}
			for id, times := range ids {
				if times > 1 {
					t.Errorf("the id %q occurs %d times", id, times)
				}
			}
			for _, link := range links {
				if ids[strings.TrimPrefix(link, "#")] == 0 {
					t.Errorf("the link %q leads nowhere", link)
				}
			}
			for _, bad := range []string{"NaN", "Inf", "%!", "&lt;nil&gt;", "ZgotmplZ"} {
				if strings.Contains(page, bad) {
					at := strings.Index(page, bad)
					t.Errorf("%q in the page: …%s…", bad, page[max(0, at-80):min(len(page), at+40)])
				}
			}
		})
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
	last.State, last.Error, last.Engine = task.Failed, evil, evil
	page := written(t, d)
	for _, e := range elements(t, page) {
		if e.name == "script" || e.name == "img" {
			t.Errorf("a label became the element %s inside %v", e.name, e.inside)
		}
	}
	if strings.Count(page, "&lt;script&gt;") < 6 {
		t.Error("some labels are missing")
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

func TestSave(t *testing.T) {
	d := ofSearch(t)
	path := filepath.Join(t.TempDir(), "new folder", "kin.html")
	pictures, err := Save(path, d)
	if err != nil {
		t.Fatal(err)
	}
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
	page := written(t, d)
	for _, words := range []string{
		"AutoBLM&#43; on enginetest", "20 November 2026", "24 structures trained", "engine cpu",
		"DistMult", "SimplE", "ComplEx", "Analogy", "QuatE", "Found 5", "not used for selection",
		"Spearman", "By side", "By relation pattern", "anti-symmetric", "mirrors",
		"3 random recipes", "1, chosen", "Final stage", "repeats", "seconds to propose",
		"37 entities and 3 relations", "Probability that a mutation",
		"autoblm search --dataset &lt;this&gt; &amp; that", "Written by a test",
	} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	for _, trial := range d.Trials {
		if !strings.Contains(page, "<code>"+trial.Structure.String()+"</code>") {
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
		"unfinished":        {"2 structures without a result yet", "no result yet"},
		"without predictor": {"The search had no predictor"},
		"all failed": {
			"All 3 structures diverged", "training diverged in epoch 1", "count as trained",
		},
		"nothing": {"No structure has a result yet."},
	} {
		page := written(t, all[name])
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
	for _, m := range regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
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
	sheet, err := files.ReadFile("style.css")
	if err != nil {
		t.Fatal(err)
	}
	luminance := func(hex string) float64 {
		var r, g, b int
		if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	themes := map[string]string{"light": ":root {", "dark": "(prefers-color-scheme: dark) {"}
	for theme, after := range themes {
		colours := variablesOf(string(sheet), after)
		for _, text := range []string{"text", "soft", "accent"} {
			for _, ground := range []string{"ground", "raised", "chosen"} {
				a, b := luminance(colours[text]), luminance(colours[ground])
				if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
					t.Errorf("%s: contrast of %s on %s is %.1f", theme, text, ground, contrast)
				}
			}
		}
	}
}
