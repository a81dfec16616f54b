package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

//go:embed page.html style.css
var files embed.FS

var pageTemplate = template.Must(template.ParseFS(files, "page.html"))

// page is what the template prints.
type page struct {
	Title    string
	Facts    []string // the line under the title
	Style    template.CSS
	Verdict  []string
	Tiles    []tile
	Sections []section
	Closing  []string
}

// tile is a number to see first.
type tile struct{ Label, Value, Note string }

// section has a title and parts in the order of reading.
type section struct {
	ID, Title string
	Parts     []part
}

// part is one thing of a section; one of the fields is set.
type part struct {
	Text    string
	Heading string
	Table   *table
	Figures []figure
	Cards   []card
	Command *Command
}

// figure is a chart with a caption.
type figure struct {
	Picture template.HTML
	Caption string
}

// card is a drawn structure.
type card struct {
	Picture     template.HTML
	Name, Tag   string
	Valid, Test string
	ValidTag    string // which part Valid is of
	Models      string // the kinds of relations
	Formula     string
}

// Write writes the report as one HTML page in UTF-8 that refers to nothing
// outside itself.
func Write(w io.Writer, d Data) error {
	p, err := newPage(newOutcome(d))
	if err != nil {
		return err
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func newPage(o *outcome) (*page, error) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	p := &page{
		Title:   fmt.Sprintf("%s on %s", algorithm(o.About.Algorithm), o.About.Dataset),
		Facts:   o.facts(),
		Style:   template.CSS(string(style) + plot.DarkStyle()),
		Verdict: o.verdict(),
		Tiles:   o.tiles(),
		Closing: o.closing(),
	}
	for _, make := range []func() (section, error){
		o.structures, o.course, o.guesses, o.metrics, o.stages, o.work, o.data, o.failures, o.settings, o.commands,
	} {
		s, err := make()
		if err != nil {
			return nil, err
		}
		if len(s.Parts) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p, nil
}

// algorithm is the strategy's name as the paper prints it.
func algorithm(name string) string {
	if rest, ours := strings.CutPrefix(name, "autoblm"); ours {
		return "AutoBLM" + rest
	}
	switch name {
	case "":
		return "Search"
	case "tpe":
		return "TPE"
	}
	return capital(name)
}

func (o *outcome) facts() []string {
	var facts []string
	if !o.Date.IsZero() {
		facts = append(facts, o.Date.Format("2 January 2006"))
	}
	if purpose := o.purpose(); purpose != "" {
		facts = append(facts, purpose)
	}
	facts = append(facts, fmt.Sprintf("%s trained in %s", count(len(o.proposed), "structure"), duration(o.seconds())))
	facts = append(facts, o.recipeInShort())
	if engines := o.engines(); engines != "" {
		facts = append(facts, engines)
	}
	if n := len(o.running); n > 0 {
		facts = append(facts, count(n, "structure")+" without a result yet")
	}
	return facts
}

// engines did the arithmetic.
func (o *outcome) engines() string {
	var names []string
	seen := map[string]bool{}
	for _, t := range o.Trials {
		name := strings.TrimSuffix(fmt.Sprintf("engine %s (%s)", t.Engine, t.Backend), " ()")
		if t.Engine != "" && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return list(names)
}

func (o *outcome) tiles() []tile {
	var tiles []tile
	add := func(label string, t task.Trial, note string) {
		if t.TestScore != nil {
			note = strings.TrimSuffix(fmt.Sprintf("test %s, %s", testScore(t), note), ", ")
		}
		tiles = append(tiles, tile{label, score(t), note})
	}
	if len(o.found) > 0 {
		add("best found", o.found[0], guise(o.found[0]))
	}
	if named, ok := o.bestNamed(); ok {
		add("best human-designed", named, title(named.Name))
	}
	if len(o.final) > 0 {
		add("last stage", o.final[0], fmt.Sprintf("d %d", o.final[0].Recipe.Training.Dim))
	}
	tiles = append(tiles, tile{"structures", thousands(len(o.proposed)), "trained in " + count(len(o.byRound()), "round")})
	if rho, n := o.spearman(); n > 2 && !math.IsNaN(rho) {
		tiles = append(tiles, tile{"predictor", coefficient(rho), "Spearman, guesses and " + o.metric})
	}
	return tiles
}

// purpose is what structures were searched for, "" for completion.
func (o *outcome) purpose() string {
	switch o.task {
	case queries:
		return strings.TrimSpace("answers to queries " + o.lengths())
	case classes:
		return "classes of nodes"
	}
	return ""
}

// lengths are those of the paths that decide, as "of 2 hops", "" if they are not known.
func (o *outcome) lengths() string {
	s, err := own[query.Own](o.Data)
	switch {
	case err != nil || len(s.Hops) == 0:
		return ""
	case slices.Equal(s.Hops, []int{1}):
		return "of 1 hop"
	}
	return fmt.Sprintf("of %s hops", either(s.Hops))
}

// recipeInShort says how large and how long trainings were.
func (o *outcome) recipeInShort() string {
	if s, err := own[classSettings](o.Data); o.task == classes && err == nil {
		return fmt.Sprintf("d %d, %s, at most %s", s.Convolution.Dim, count(s.Convolution.Layers, "layer"), count(s.Convolution.Epochs, "epoch"))
	}
	training := o.recipe.Training
	return fmt.Sprintf("d %d, %s", training.Dim, count(training.Epochs, "epoch"))
}

// howMeasured defines the numbers of the page.
func (o *outcome) howMeasured() string {
	const only = "The validation MRR decides; the test metrics are only reported."
	switch o.task {
	case queries:
		return "MRR, Hits@k and mean rank are means over the queries, and within a query over its answers that the smaller graph does not give. An answer is ranked among the entities that are no answer, and those that score the same as it count against it. " + only
	case classes:
		return "Accuracy is the share of labelled nodes that are classified right. The cross-validated one is of the nodes to train with, each while it is held out; it decides, and also chooses the number of epochs, which flatters it. The test accuracy, where there is one, is the mean over models trained on all of these nodes, and is only reported."
	}
	return "MRR, Hits@k and mean rank are filtered: the answers that train, valid and test know are left out of a rank, and entities that score the same as the true one count against it. " + only
}

func (o *outcome) closing() []string {
	closing := []string{o.howMeasured()}
	if o.Program != "" {
		closing = append(closing, "Written by "+o.Program+".")
	}
	return closing
}

// inline is a picture as a part of the page.
func inline(picture plot.Picture, label string) (template.HTML, error) {
	element, err := picture.Inline(label)
	return template.HTML(element), err
}
