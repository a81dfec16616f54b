package recipe

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/datasets"
)

func named(t *testing.T, name, dataset string) Recipe {
	t.Helper()
	r, err := Named(name, dataset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryRecipeIsComplete(t *testing.T) {
	benchmarks := map[string]bool{"": true, biokg: true, wikikg2: true}
	for _, b := range datasets.Registry() {
		benchmarks[b.Name] = true
	}
	seen := map[[2]string]bool{}
	for _, r := range All() {
		what := r.Name + " for " + r.Dataset
		if seen[[2]string{r.Name, r.Dataset}] || !benchmarks[r.Dataset] {
			t.Errorf("%s is there twice, or is for no benchmark", what)
		}
		seen[[2]string{r.Name, r.Dataset}] = true
		if err := r.Training.Validate(4); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if r.About == "" || r.Source == "" {
			t.Errorf("%s does not say what it is, or where it is from", what)
		}
		search := strings.HasSuffix(r.Name, "-search")
		isUnknown := slices.Contains([]string{"ivr-quate", "ivr-analogy", "metasd-base", "transe"}, r.Name) ||
			what == "bique for wn18rr" || what == "compgcn for wn18rr" || what == "ivr-tucker for yago3-10"
		if search != r.Searches() ||
			(search || r.Dataset == "" || isUnknown) != (r.Published == nil) {
			t.Errorf("%s has the structure %v and published %+v", what, r.Structure.K(), r.Published)
		}
		if r.Published == nil {
			continue
		}
		if err := r.Training.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		hasHits := r.Published.Hits1 > 0 || r.Published.Hits10 > 0
		if p := r.Published; hasHits && !(p.Hits1 < p.MRR && p.MRR < p.Hits10 && p.Hits10 <= 1) ||
			!(p.MRR > 0 && p.MRR < 1) || p.Model == "" ||
			p.Source == "" {
			t.Errorf("%s: published %+v", what, p)
		}
		if r.Training.ValidateEvery == 0 {
			t.Errorf("%s chooses no epoch by validation", what)
		}
	}
	if got := Names(); !slices.Equal(got, []string{
		"default", "default-small", "dense", "large", "huge", "vast", "basic", "paper", "paper-search",
		"n3", "dura", "dura-cp", "rescal", "rp", "kgbench", "metasd-base", "bique", "ivr", "ivr-quate", "ivr-analogy",
		"ivr-tucker", "tucker", "meim",
		"small", "small-search", "rotate", "transe", "pairre", "transh",
		"autosf-ogb", "conve", "compgcn", "compgcn-conve", "rgcn", "interstellar", "rsn",
	}) {
		t.Errorf("the names are %v", got)
	}
}

func TestNoSuchRecipe(t *testing.T) {
	for _, c := range []struct {
		name, dataset string
		says          []string
	}{
		{"n5", "wn18", []string{`"n5"`, "paper", "n3, dura, dura-cp, rescal, rp"}},
		{"n3", "umls", []string{
			"no recipe n3 for umls: n3 is for wn18, fb15k, wn18rr, fb15k-237 and yago3-10; use basic, compgcn, conve, default,",
			"rotate, rsn, small, small-search, transe, transh, tucker or vast",
		}},
		{"rp", "wn18", []string{"rp is for wn18rr and fb15k-237", "n3, pairre, paper, paper-search, "}},
		{"n3", "", []string{
			"recipe n3 depends on the data set: name one of wn18, fb15k, wn18rr, fb15k-237 or yago3-10",
		}},
		{"dura", "ulms", []string{"did you mean umls?"}},
		{"dura", "mine", []string{
			"no recipe dura for mine: dura is for wn18rr, fb15k-237 and yago3-10; use basic, compgcn, conve, default,",
		}},
	} {
		_, err := Named(c.name, c.dataset)
		for _, words := range c.says {
			if err == nil || !strings.Contains(err.Error(), words) ||
				slices.Contains(Datasets(), c.dataset) && slices.Contains(Names(), c.name) &&
					strings.Contains(err.Error(), "mean") {
				t.Errorf("%s for %s: %v, which should say %q", c.name, c.dataset, err, words)
			}
		}
	}
	if got := len(For("wn18rr")); got != 22 {
		t.Errorf("%d recipes for wn18rr, want paper, paper-search, n3, dura, dura-cp, rescal, rp, "+
			"kgbench, metasd-base, bique, tucker, conve, meim, rotate, transe, compgcn, compgcn-conve, "+
			"interstellar and four of ivr", got)
	}
	if got := For("mine"); len(got) != 0 {
		t.Errorf("recipes for an unknown graph: %v", got)
	}
}

// TestAnyGraph: recipes for any graph apply to all graphs without one of that name.
func TestAnyGraph(t *testing.T) {
	for _, dataset := range []string{"mine", "umls", "wn18rr"} {
		count := map[string]int{}
		for _, r := range Available(dataset) {
			count[r.Name]++
			if got := named(t, r.Name, dataset); !reflect.DeepEqual(got, r) {
				t.Errorf("%s for %s is %+v, and %+v in the list", r.Name, dataset, got, r)
			}
		}
		for _, r := range append(For(""), For(dataset)...) {
			if count[r.Name] != 1 {
				t.Errorf("%s has %s %d times", dataset, r.Name, count[r.Name])
			}
		}
	}
	for name, own := range map[string]string{"small": "umls", "paper": "wn18rr"} {
		if r := named(t, name, own); r.Dataset != own {
			t.Errorf("%s of %s is for %q", name, own, r.Dataset)
		}
		if r := named(t, name, "mine"); r.Dataset != "" {
			t.Errorf("%s of any graph is for %q", name, r.Dataset)
		}
	}
}

// published structures in the form of the authors' program (searched_SFs.txt of
// LARS-research/AutoSF).
var indexForm = map[string][]int{
	"wn18": {3, 2, 1, 0, 3, 3, 2, -1, 0, 2, 3, -1, 1, 0, 1, 1, 2, 1, 0, 1, 2, 2, 0, -1, 1, 0, 2,
		-1},
	"fb15k": {3, 2, 1, 0, 1, 0, 1, 1, 2, 1, 0, 1},
	"wn18rr": {1, 0, 2, 3, 3, 1, 1, 1, 3, 0, 0, 1, 0, 3, 2, -1, 1, 2, 3, -1, 1, 3, 1, -1, 0, 1, 3,
		-1},
	"fb15k-237": {2, 1, 3, 0},
	"yago3-10":  {0, 1, 2, 3, 1, 3, 1, -1, 2, 1, 3, -1},
}

// authorsScore computes the score like that program: chunk i of h times chunk i of r goes to chunk
// v[i], and each further group (r, h, t, sign) to its t.
func authorsScore(v []int, h, r, t []float64) float64 {
	width := len(h) / 4
	chunk := func(x []float64, i int) []float64 { return x[i*width:][:width] }
	query := make([]float64, len(h))
	add := func(r, h []float64, to int, sign float64) {
		for n := range width {
			query[to*width+n] += sign * r[n] * h[n]
		}
	}
	for i := range 4 {
		add(chunk(r, i), chunk(h, i), v[i], 1)
	}
	for group := range slices.Chunk(v[4:], 4) {
		add(chunk(r, group[0]), chunk(h, group[1]), group[2], float64(group[3]))
	}
	score := 0.0
	for n := range query {
		score += query[n] * t[n]
	}
	return score
}

func TestStructuresOfThePaper(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	draw := func() []float64 {
		x := make([]float64, 12)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	for dataset, form := range indexForm {
		r := named(t, "paper", dataset)
		if r.Structure.Nonzeros() != 4+(len(form)-4)/4 || r.Structure.Degenerate() {
			t.Errorf("%s: %s has %d nonzeros, or is degenerate", dataset, r.Structure,
				r.Structure.Nonzeros())
		}
		for range 10 {
			h, relation, tail := draw(), draw(), draw()
			if got, want := r.Structure.Score(h, relation, tail),
				authorsScore(form, h, relation, tail); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: score %v, that of the authors is %v", dataset, got, want)
			}
		}
	}
}

// TestPaperSettings compares with the programs of the authors: d, learning rate, λ, decay, batch,
// epochs and validation interval (evaluate.py), and for the search (AutoSF+/train.py).
func TestPaperSettings(t *testing.T) {
	for dataset, want := range map[string][7]float64{
		"wn18":      {1024, .109, 0.0003245, .991, 256, 400, 20},
		"fb15k":     {2048, .704, 3.49e-5, .991, 256, 700, 50},
		"wn18rr":    {512, .471, 5.92e-05, .99, 512, 300, 20},
		"fb15k-237": {2048, .178, .00252, .991, 512, 500, 25},
		"yago3-10":  {1024, .9514, .0002178, .991, 2048, 400, 20},
	} {
		r := named(t, "paper", dataset)
		s := r.Training
		lambda := r.RelationL2 * float64(s.Batch)
		got := [7]float64{float64(s.Dim), r.LearningRate, lambda, s.Decay, float64(s.Batch),
			float64(s.Epochs), float64(s.ValidateEvery)}
		near(t, dataset, got[:], want[:])
		asAuthors(t, r)
	}
	// The defaults of evaluate.py, for graphs that it does not know.
	r := named(t, "paper", "mine")
	got := [7]float64{float64(r.Training.Dim), r.LearningRate,
		r.RelationL2 * float64(r.Training.Batch), r.Training.Decay, float64(r.Training.Batch),
		float64(r.Training.Epochs), float64(r.Training.ValidateEvery)}
	near(t, "any graph", got[:], []float64{256, .7, .4, 1, 4096, 300, 10})
	asAuthors(t, r)
	for dataset, want := range map[string][5]float64{
		"wn18":      {64, 0.294506, 0.001337, 2048, 60},
		"fb15k":     {64, 0.173476, 0.000013, 1024, 100},
		"wn18rr":    {64, 0.211797, 0.00005, 128, 50},
		"fb15k-237": {64, 0.18821, 0.003383, 1024, 50},
		"yago3-10":  {32, 0.201078, 0.000364, 256, 50},
	} {
		r := named(t, "paper-search", dataset)
		s := r.Training
		got := [5]float64{float64(s.Dim), r.LearningRate, r.RelationL2 * float64(s.Batch),
			float64(s.Batch), float64(s.Epochs)}
		near(t, dataset, got[:], want[:])
		if s.Decay != 1 || s.ValidateEvery != 0 {
			t.Errorf("%s: a search with decay %v, validated every %d epochs", dataset, s.Decay,
				s.ValidateEvery)
		}
		asAuthors(t, r)
	}
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12*math.Abs(want[i]) {
			t.Errorf("%s: setting %d is %v, the source has %v", what, i, got[i], want[i])
		}
	}
}

// asAuthors checks what all programs of the authors do.
func asAuthors(t *testing.T, r Recipe) {
	t.Helper()
	s := r.Training
	if s.Reciprocal || s.Initial != kge.Xavier || s.MaxNorm != 1 || s.Optimizer != kge.Adagrad ||
		s.Dropout != 0 {
		t.Errorf("%s for %s is not as the authors train: %+v", r.Name, r.Dataset, s)
	}
	if want := (kge.Weights{RelationL2: r.RelationL2}); r.Weights != want {
		t.Errorf("%s for %s penalizes more than relations: %+v", r.Name, r.Dataset, r.Weights)
	}
}

// TestSettingsOfTheOthers compares with the READMEs in their conventions: rank of a complex
// embedding, batch in one direction, weights, learning rate, epochs.
func TestSettingsOfTheOthers(t *testing.T) {
	for what, source := range map[[2]string]struct {
		rank, batch     int
		reg, prediction float64
		rate            float64
		epochs          int
	}{
		{"n3", "wn18"}:      {2000, 1000, 5e-2, 0, .1, 20},
		{"n3", "fb15k"}:     {2000, 100, 2.5e-3, 0, .01, 200},
		{"n3", "wn18rr"}:    {2000, 100, 1e-1, 0, .1, 100},
		{"n3", "fb15k-237"}: {1000, 1000, 5e-2, 0, .1, 100},
		{"n3", "yago3-10"}:  {1000, 1000, 5e-3, 0, .1, 100},

		{"dura", "wn18rr"}:    {2000, 100, 1e-1, 0, .1, 50},
		{"dura", "fb15k-237"}: {2000, 100, 5e-2, 0, .1, 200},
		{"dura", "yago3-10"}:  {1000, 1000, 5e-3, 0, .1, 200},

		{"rp", "wn18rr"}:    {1000, 100, .10, .05, .1, 500},
		{"rp", "fb15k-237"}: {1000, 1000, .05, 4, .1, 500},
	} {
		r := named(t, what[0], what[1])
		s := r.Training
		if s.Dim != 2*source.rank || 2*s.Batch != source.batch || s.Epochs != source.epochs ||
			r.LearningRate != source.rate {
			t.Errorf("%v: d %d, batch %d, %d epochs, learning rate %v", what, s.Dim, s.Batch, s.Epochs,
				r.LearningRate)
		}
		if !s.Reciprocal || s.Initial != kge.Normal || s.InitScale != 1e-3 || s.Decay != 1 ||
			s.MaxNorm != 0 || s.Dropout != 0 {
			t.Errorf("%v: %+v", what, s)
		}
		if r.Structure.Name() != "complex" {
			t.Errorf("%v trains %s", what, r.Structure)
		}
		want := converted(what[0], source.reg, source.prediction)
		near(t, what[0]+" "+what[1], []float64{r.N3, r.EntityL2, r.Products, r.RelationPrediction, r.L2,
			r.RelationL2},
			[]float64{want.N3, want.EntityL2, want.Products, want.RelationPrediction, 0, 0})
		if r.N3Block != want.N3Block {
			t.Errorf("%v has n3-block %d", what, r.N3Block)
		}
	}
}

// TestSettingsOfCP compares with the README: rank, batch in one direction, weight of DURA and its
// factors for entities and products.
func TestSettingsOfCP(t *testing.T) {
	for dataset, source := range map[string]struct {
		rank, batch                        int
		reg, entities, products, frequency float64
	}{
		"wn18rr":    {2000, 100, 1e-1, 1, 1, .9},
		"fb15k-237": {2000, 100, 5e-2, .5, 1.5, 0},
		"yago3-10":  {1000, 1000, 5e-3, .5, 1.5, .9},
	} {
		r := named(t, "dura-cp", dataset)
		s := r.Training
		if r.Structure.String() != "0,1;0,0" || s.Dim != 2*source.rank || 2*s.Batch != source.batch ||
			s.Epochs != 200 || r.LearningRate != .1 || s.Frequency != source.frequency ||
			!s.Reciprocal || s.InitScale != 1e-3 {
			t.Errorf("%s: %s, %+v", dataset, r.Structure, s)
		}
		near(t, dataset, []float64{r.EntityL2, r.Products, r.RelationL2, r.L2},
			[]float64{source.entities * source.reg, 2 * source.products * source.reg, 0, 0})
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Error(err)
		}
	}
}

// TestSettingsOfRESCAL compares with the README: rank, batch in one direction, weight of DURA and its
// factors for entities and products.
func TestSettingsOfRESCAL(t *testing.T) {
	for dataset, source := range map[string]struct {
		rank, batch                        int
		reg, entities, products, frequency float64
	}{
		"wn18rr":    {256, 1024, 1e-1, 1, 1, .9},
		"fb15k-237": {512, 512, 5e-2, 1, 1, 0},
		"yago3-10":  {512, 1024, 5e-3, 2, .5, .9},
	} {
		r := named(t, "rescal", dataset)
		s := r.Training
		if r.Form != form.GQE || r.Structure.K() != 0 || s.Dim != source.rank ||
			2*s.Batch != source.batch || s.Epochs != 200 || r.LearningRate != .1 {
			t.Errorf("%s: %v, %v, d %d, batch %d, %d epochs, learning rate %v", dataset, r.Form, r.Structure,
				s.Dim, s.Batch, s.Epochs, r.LearningRate)
		}
		if !s.Reciprocal || s.Initial != kge.XavierAll || s.Optimizer != kge.Adagrad || s.Decay != 1 ||
			s.MaxNorm != 0 || s.Dropout != 0 || s.Frequency != source.frequency {
			t.Errorf("%s: %+v", dataset, s)
		}
		near(t, dataset, []float64{r.EntityL2, r.Products},
			[]float64{2 * source.reg * source.entities, 2 * source.reg * source.products})
		if want := (kge.Weights{EntityL2: r.EntityL2, Products: r.Products}); r.Weights != want {
			t.Errorf("%s also has other penalties: %+v", dataset, r.Weights)
		}
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Error(err)
		}
	}
}

// TestSettingsOfIVR compares with the authors' table: chunks, dimension, power and weights.
func TestSettingsOfIVR(t *testing.T) {
	for what, source := range map[[2]string]struct {
		chunks, dim            int
		power, norms, products float64
	}{
		{"ivr", "wn18rr"}:            {2, 4000, 3, .05, .07},
		{"ivr", "fb15k-237"}:         {2, 4000, 2.25, .005, .05},
		{"ivr", "yago3-10"}:          {2, 2000, 2.25, .0005, .007},
		{"ivr-quate", "wn18rr"}:      {4, 4000, 3, .07, .03},
		{"ivr-quate", "fb15k-237"}:   {4, 4000, 2.25, .005, .05},
		{"ivr-quate", "yago3-10"}:    {4, 2000, 2.25, .0005, .005},
		{"ivr-analogy", "wn18rr"}:    {4, 4000, 3, .003, .07},
		{"ivr-analogy", "fb15k-237"}: {4, 4000, 2.25, .005, .07},
		{"ivr-analogy", "yago3-10"}:  {4, 2000, 2.25, .0007, .007},
	} {
		r := named(t, what[0], what[1])
		s := r.Training
		if r.Structure.K() != source.chunks || s.Dim != source.dim || 2*s.Batch != 100 ||
			s.Epochs != 200 || r.LearningRate != .1 || !s.Reciprocal || s.Frequency != 0 {
			t.Errorf("%v: %v, %+v", what, r.Structure, s)
		}
		near(t, what[0]+" "+what[1],
			[]float64{s.InitScale * s.InitScale, r.IVRPower, r.IVR, r.IVRProducts},
			[]float64{.02 * .02 / 12, source.power, 2 * source.norms, 2 * source.products})
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Error(err)
		}
	}
}

// TestSettingsOfBiQUE compares with the authors' settings: λ, batch, epochs and weights by frequency.
func TestSettingsOfBiQUE(t *testing.T) {
	for dataset, source := range map[string]struct {
		lambda, frequency float64
		batch, epochs     int
	}{
		"wn18rr":    {.15, .9, 300, 200},
		"fb15k-237": {.07, 0, 500, 300},
		"yago3-10":  {.005, 0, 1000, 200},
	} {
		r := named(t, "bique", dataset)
		s := r.Training
		if !s.Translate || r.Structure.Name() != "bique" || s.Dim != 8*128 ||
			2*s.Batch != source.batch || s.Epochs != source.epochs || s.Frequency != source.frequency ||
			!s.Reciprocal || s.InitScale != 1e-3 || r.N3Block != 8 {
			t.Errorf("%s: %v %v, %+v", dataset, r.Form, r.Structure, s)
		}
		near(t, dataset, []float64{r.N3, r.EntityN3, r.RelationN3},
			[]float64{0, 4 * source.lambda, source.lambda})
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Error(err)
		}
	}
}

// TestSettingsOfKGBench compares with the files GRAPH_best.yaml of the authors.
func TestSettingsOfKGBench(t *testing.T) {
	for dataset, source := range map[string]struct {
		dim, batch, plateau                     int
		rate, entityDropout, relationDropout, a float64
		entity, relation, prediction            float64 // weights
	}{
		"wn18rr": {256, 1024, 5, .47262502000323753, .6, .23559792446310426, -.28148249060722197,
			1e-4, 1e-4, .08730111582385243},
		"fb15k-237": {1024, 512, 7, .39311839834374207, .5024238994908072, .5061077855159372,
			-.8328168489829233, 4.1587126671969165e-06, 1e-4, .8272480164786761},
	} {
		r := named(t, "kgbench", dataset)
		s := r.Training
		if r.Structure.Name() != "complex" || s.Dim != source.dim || s.Batch != source.batch ||
			s.Epochs != 400 || s.ValidateEvery != 5 || s.Patience != 10 ||
			s.PlateauPatience != source.plateau+1 || s.PlateauFactor != .95 || r.N3Block != 0 {
			t.Errorf("%s: %s, %+v", dataset, r.Structure, s)
		}
		near(t, dataset,
			[]float64{r.LearningRate, s.InputDropout, s.Dropout, s.InitScale * s.InitScale},
			[]float64{source.rate, source.entityDropout, source.relationDropout,
				math.Pow(1-source.a, 2) / 12})
		// One file penalizes the rows of a batch, and relations in one direction only. The other
		// penalizes all rows in each step, those of entities twice: with E entities in 2T places of T
		// triples, a row is in a batch of B triples 2·B/E times if each use counts by 1/frequency.
		entities, relations, prediction := 1.0, 1.0, source.prediction/2
		if !s.Reciprocal {
			const usedEntities, usedRelations = 40559, 11
			entities, relations, prediction = 2*usedEntities/2, usedRelations, source.prediction
		}
		near(t, dataset, []float64{r.EntityN3, r.RelationN3, r.RelationPrediction, r.N3},
			[]float64{source.entity / 3 * entities, source.relation / 3 * relations, prediction, 0})
		if (r.PenaltyFrequency == 1) == s.Reciprocal || s.Reciprocal != (dataset == "fb15k-237") {
			t.Errorf("%s: penalty frequency %v, reciprocal %v", dataset, r.PenaltyFrequency, s.Reciprocal)
		}
	}
}

// TestSettingsOfMetaSD compares with the authors' program and scripts.
func TestSettingsOfMetaSD(t *testing.T) {
	for dataset, source := range map[string]struct {
		batch                      int
		reg, prediction, frequency float64
	}{"wn18rr": {1000, .1, 0, .9}, "fb15k-237": {5000, .05, 4, 0}} {
		r := named(t, "metasd-base", dataset)
		s := r.Training
		if r.Structure.Name() != "complex" || s.Dim != 2*2000 || 2*s.Batch != source.batch ||
			s.Epochs != 300 || r.LearningRate != .1 || s.InitScale != 1e-3 || !s.Reciprocal ||
			s.Frequency != source.frequency || !strings.Contains(r.Note, "not MetaSD itself") {
			t.Errorf("%s: %s, %+v, %s", dataset, r.Structure, s, r.Note)
		}
		want := converted("dura", source.reg, 0)
		near(t, dataset, []float64{r.EntityL2, r.Products, r.RelationPrediction},
			[]float64{want.EntityL2, want.Products, source.prediction})
	}
}

// TestSettingsOfCores compares recipes of models with cores with the authors' settings.
func TestSettingsOfCores(t *testing.T) {
	for what, source := range map[[2]string]struct {
		partitions, dim, batch   int
		epochs                   int
		rate, decay              float64
		entities, queries, ortho float64 // dropout, and the weight of orthogonality
		power, norms, products   float64 // of IVR
	}{
		{"ivr-tucker", "wn18rr"}:    {1, 256, 100, 200, .1, 1, 0, 0, 0, 2, .01, .03},
		{"ivr-tucker", "fb15k-237"}: {1, 256, 100, 200, .1, 1, 0, 0, 0, 2, .003, .01},
		{"ivr-tucker", "yago3-10"}:  {1, 256, 100, 200, .1, 1, 0, 0, 0, 2, .0005, .003},
		{"meim", "wn18rr"}:          {3, 300, 1024, 1000, .003, .99775, .71, .67, .1, 0, 0, 0},
		{"meim", "fb15k-237"}:       {3, 300, 1024, 1000, .003, .99775, .66, .67, 0, 0, 0, 0},
		{"meim", "yago3-10"}:        {5, 500, 1024, 1000, .003, .995, .1, .15, .001, 0, 0, 0},
	} {
		r := named(t, what[0], what[1])
		s := r.Training
		if r.Form != form.Core(source.partitions) || s.Dim != source.dim || 2*s.Batch != source.batch ||
			s.Epochs != source.epochs || !s.Reciprocal || s.BatchNorm != (what[0] == "meim") ||
			(s.Optimizer == kge.Adam) != (what[0] == "meim") {
			t.Errorf("%v: %v, %+v", what, r.Form, s)
		}
		if s.ValidateEvery != 5 || s.Patience != 0 { // all keep the best epoch and train to the end
			t.Errorf("%v: validated every %d epochs, patience %d", what, s.ValidateEvery, s.Patience)
		}
		near(t, what[0]+" "+what[1],
			[]float64{r.LearningRate, s.Decay, s.InputDropout, s.Dropout, r.Orthogonality, r.IVRPower,
				r.IVR, r.IVRProducts},
			[]float64{source.rate, source.decay, source.entities, source.queries, 2 * source.ortho,
				source.power, 2 * source.norms, 2 * source.products})
		if err := s.ValidateFor(r.Member(r.Structure, 1)); err != nil {
			t.Error(err)
		}
	}
}

// converted converts the weights of a source to our conventions, as the package comment says.
func converted(name string, reg, prediction float64) kge.Weights {
	switch name {
	case "dura":
		return kge.Weights{EntityL2: 2 * 0.5 * reg, Products: 2 * 1.5 * reg}
	case "dura-cp":
		return kge.Weights{EntityL2: 0.5 * reg, Products: 2 * 1.5 * reg}
	case "rescal":
		return kge.Weights{EntityL2: 2 * reg, Products: 2 * reg}
	}
	return kge.Weights{N3: 2 * reg, N3Block: 2, RelationPrediction: prediction}
}
