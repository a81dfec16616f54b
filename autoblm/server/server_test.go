package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// world returns the embedded graph and a small model of it.
var world = sync.OnceValues(func() (*datasets.Graph, *kge.Model) {
	g, err := datasets.Open("world")
	if err != nil {
		panic(err)
	}
	r := recipe.ForGraph(g, form.Bilinear)
	r.Training.Dim, r.Training.Epochs = 16, 10
	job := kge.Job{
		Data: completion.Data(g), Settings: r.Training,
		Members: []kge.Member{r.Member(structure.MustParse("complex"), 1)},
	}
	report, err := kge.Train(context.Background(), cpu.New(0), job)
	if err != nil {
		panic(err)
	}
	return g, report.Results[0].Model
})

// openWorld opens the model of the embedded graph.
func openWorld(context.Context) (*Model, error) {
	g, m := world()
	answerer, err := completion.NewAnswerer(completion.Single{Model: m}, g, cpu.New(1))
	if err != nil {
		return nil, err
	}
	return NewModel(answerer), nil
}

// start starts a server with the model world and others. change may change the options.
func start(t *testing.T, change func(*Options), others ...Source) (*Server, *httptest.Server) {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	s, err := New(t.Context(), append([]Source{{"world", openWorld}}, others...), o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() { h.Close(); s.Close() })
	return s, h
}

// ask sends a request and returns the status and the body. A body makes it a POST.
func ask(t testing.TB, url, body string) (int, string) {
	t.Helper()
	method, reader := http.MethodGet, io.Reader(nil)
	if body != "" {
		method, reader = http.MethodPost, strings.NewReader(body)
	}
	r, err := http.NewRequest(method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, r)
}

func send(t testing.TB, r *http.Request) (int, string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content)
}

// decode reads the JSON of a good answer.
func decode[T any](t testing.TB, status int, body string) (value T) {
	t.Helper()
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return value
}

// shown is an answer as a client reads it.
type shown struct {
	Entity, Relation string
	Score            float64
	Rank             int
	Known            *bool
}

type shownResults struct {
	Model   string
	Results []struct {
		Query   map[string]*string
		Answers []shown
		Error   string
	}
}

// TestPredict compares answers with those of the model itself.
func TestPredict(t *testing.T) {
	g, m := world()
	_, h := start(t, nil)
	queries := []completion.Query{
		{Head: "Portugal", Relation: "borders"}, {Relation: "located_in", Tail: "Europe"},
		{Head: "Portugal", Relation: "nonsense"}, {Head: "Portugal", Tail: "Spain"},
	}
	for _, known := range []eval.KnownAnswers{eval.DropKnown, eval.MarkKnown, eval.KeepKnown} {
		body, err := json.Marshal(map[string]any{
			"queries": queries, "top": 7, "known": known.String(), "model": "world",
		})
		if err != nil {
			t.Fatal(err)
		}
		status, text := ask(t, h.URL+"/v1/predict", string(body))
		got := decode[shownResults](t, status, text)
		if got.Model != "world" || len(got.Results) != len(queries) {
			t.Fatal(text)
		}
		for i, q := range queries {
			want, err := completion.Single{Model: m}.Predict(g, q,
				completion.PredictOptions{Top: 7, Known: known})
			result := got.Results[i]
			if (err != nil) != (result.Error != "") || len(result.Answers) != len(want) {
				t.Fatalf("%+v: %v, %+v", q, err, result)
			}
			for n, a := range want {
				is := result.Answers[n]
				isKnown := map[eval.Known]string{eval.Yes: "true", eval.No: "false"}[a.Known]
				known := ""
				if is.Known != nil {
					known = fmt.Sprint(*is.Known)
				}
				if is.Entity != a.Entity || is.Relation != a.Relation || is.Score != a.Score ||
					is.Rank != n+1 || known != isKnown {
					t.Errorf("%+v: answer %d is %+v, not %+v", q, n+1, is, a)
				}
			}
		}
	}
}

// TestScore compares scores and ranks with those in the list of all answers.
func TestScore(t *testing.T) {
	g, m := world()
	_, h := start(t, nil)
	status, text := ask(t, h.URL+"/v1/score", `{"any":true,"triples":[
		{"head":"Portugal","relation":"borders","tail":"Spain"},
		{"head":"Portugal","relation":"borders","tail":"Atlantis"},
		{"head":"Portugal","relation":"borders"},{"head":"","relation":"borders","tail":null}]}`)
	got := decode[shownResults](t, status, text).Results
	all, err := completion.Single{Model: m}.Predict(g,
		completion.Query{Head: "Portugal", Relation: "borders"},
		completion.PredictOptions{Known: eval.MarkKnown, AnyKind: true})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(a eval.Answer) bool { return a.Entity == "Spain" })
	spain := got[0].Answers[0]
	if spain.Score != all[at].Score || spain.Rank != at+1 || !*spain.Known {
		t.Errorf("%+v, not %+v", spain, all[at])
	}
	if !strings.Contains(got[1].Error, "Atlantis") || len(got[1].Answers) != 0 {
		t.Errorf("%+v", got[1])
	}
	for _, r := range got[2:] {
		if !strings.Contains(r.Error, "needs a head, a relation and a tail") || len(r.Answers) != 0 ||
			*r.Query["relation"] != "borders" || r.Query["tail"] != nil {
			t.Errorf("a triple with a missing part: %+v", r)
		}
	}
}

// TestFacts compares the facts of an entity with those in the splits.
func TestFacts(t *testing.T) {
	g, _ := world()
	_, h := start(t, nil)
	status, text := ask(t, h.URL+"/v1/facts?entity=Portugal", "")
	got := decode[facts](t, status, text)
	want := map[triple]bool{}
	for _, x := range slices.Concat(g.Train, g.Valid, g.Test) {
		f := triple{g.Entities[x.Head], g.Relations[x.Relation], g.Entities[x.Tail]}
		if f.Head == "Portugal" || f.Tail == "Portugal" {
			want[f] = true
		}
	}
	if got.Total != len(want) || len(got.Facts) != len(want) || len(want) < 5 {
		t.Errorf("%d facts, total %d, not %d", len(got.Facts), got.Total, len(want))
	}
	for _, f := range got.Facts {
		if !want[f] {
			t.Errorf("%+v is no fact, or there twice", f)
		}
		delete(want, f)
	}
	status, text = ask(t, h.URL+"/v1/facts?entity=Portugal&limit=2", "")
	if few := decode[facts](t, status, text); len(few.Facts) != 2 || few.Total != got.Total {
		t.Errorf("%+v", few)
	}
}

// TestFairSizes checks that a limit leaves some facts of each relation.
func TestFairSizes(t *testing.T) {
	sizes := []int{300, 0, 60, 2, 300}
	for _, c := range []struct {
		limit int
		want  string
	}{
		{1000, "[300 0 60 2 300]"}, {200, "[69 0 60 2 69]"}, {20, "[6 0 6 2 6]"}, {3, "[1 0 1 0 1]"},
	} {
		if got := fmt.Sprint(fairSizes(sizes, c.limit)); got != c.want {
			t.Errorf("with %d: %s, not %s", c.limit, got, c.want)
		}
	}
}

// TestLowLimits: a request without a number of answers is possible under any limit.
func TestLowLimits(t *testing.T) {
	_, h := start(t, func(o *Options) { o.MaxTop = 2 })
	status, text := ask(t, h.URL+"/v1/predict", `{"queries":[{"head":"Portugal","relation":"borders"}]}`)
	if got := decode[results[Answered]](t, status, text); len(got.Results[0].Answers) != 2 {
		t.Errorf("%d answers, not 2", len(got.Results[0].Answers))
	}
}

func TestSearch(t *testing.T) {
	labels := []string{"New Yorkshire", "York", "Kyork", "Paris", "YORKTON", "north york",
		"Côte d'Ivoire", "Łódź", "Cote", "Straße"}
	x := newLabelIndex(labels)
	for _, c := range []struct {
		text  string
		limit int
		want  string
		total int
	}{
		{"york", 9, "York YORKTON north york New Yorkshire Kyork", 5},
		{"YORK", 2, "York YORKTON", 5},
		{"zürich", 5, "", 0},
		{"", 1, "York", 10},
		{"cote", 9, "Cote Côte d'Ivoire", 2},
		{"CÔTE D", 9, "Côte d'Ivoire", 1},
		{"co\u0302te d", 9, "Côte d'Ivoire", 1},
		{"łodz", 9, "Łódź", 1},
		{"lodz", 9, "Łódź", 1},
		{"strasse", 9, "Straße", 1},
	} {
		found, total := x.search(c.text, c.limit)
		if got := strings.Join(found, " "); got != c.want || total != c.total {
			t.Errorf("%q: %q of %d, not %q of %d", c.text, got, total, c.want, c.total)
		}
	}
}

// TestLists checks the lists of models, relations and entities.
func TestLists(t *testing.T) {
	g, _ := world()
	_, h := start(t, nil, Source{"second", openWorld})
	all := decode[models](t, 200, second(ask(t, h.URL+"/v1/models", ""))).Models
	if len(all) != 2 || all[1].Name != "second" || all[0].Members[0].Title != "ComplEx" ||
		all[0].Entities != len(g.Entities) || !all[0].Facts || all[0].Paths {
		t.Errorf("%+v", all)
	}
	of := decode[relations](t, 200, second(ask(t, h.URL+"/v1/relations?model=second", "")))
	if of.Model != "second" || !slices.Equal(of.Relations, g.Relations) {
		t.Errorf("%+v", of)
	}
	near := decode[neighbors](t, 200, second(ask(t, h.URL+"/v1/neighbors?entity=Spain&top=3", "")))
	_, m := world()
	want, err := completion.Neighbors([]*kge.Model{m}, "Spain", 3)
	if err != nil || !slices.Equal(near.Neighbors, want) || len(want) != 3 {
		t.Errorf("%+v, not %+v, %v", near, want, err)
	}
	places := decode[entityMap](t, 200, second(ask(t, h.URL+"/v1/map", "")))
	drawn := completion.MapOf([]*kge.Model{m}, g, mapPlaces)
	last := len(g.Entities) - 1
	if p := drawn.Places[last]; places.Note != drawn.Note || len(places.Places) != last+1 ||
		places.Places[last] != (place{p.Name, p.Group, p.X, p.Y}) {
		t.Errorf("%d places, %s", len(places.Places), places.Note)
	}
	found := decode[entities](t, 200, second(ask(t, h.URL+"/v1/entities?q=portu", "")))
	if !slices.Contains(found.Entities, "Portugal") || found.Total < 1 {
		t.Errorf("%+v", found)
	}
}

func second(_ int, body string) string { return body }

// TestRefused checks requests that get an error in the form of RFC 9457.
func TestRefused(t *testing.T) {
	_, h := start(t, func(o *Options) { o.MaxBody, o.MaxBatch, o.MaxTop = 300, 2, 50 })
	one := `{"head":"Portugal","relation":"borders"}`
	described := decode[struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}](t, 200, second(ask(t, h.URL+"/openapi.json", "")))
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"predict", `{"queries":[` + one + `],"model":"x"}`, 404, `no model \"x\": there is world`},
		{"predict", `{"queries":[` + one + "," + one + "," + one + `]}`, 422, "at most 2"},
		{"predict", `{"queries":[` + one + `],"top":51}`, 422, "at most 50"},
		{"predict", `{"queries":[` + one + `],"top":-1}`, 422, "number >= 1"},
		{"predict", `{"queries":[` + one + `],"known":"no"}`, 422, "one of"},
		{"predict", `{"queries":[{"heads":"Portugal"}]}`, 422, "unexpected property"},
		{"predict", `{"queries":[]}`, 422, "length >= 1"},
		{"predict", `{"queries":`, 400, "unexpected end"},
		{"predict", `{"queries":[` + one + `],"x":"` + strings.Repeat("x", 300) + `"}`, 413, "too large"},
		{"facts?entity=Atlantis", "", 404, `no entity \"Atlantis\"`},
		{"facts?entity=Portugal&limt=3", "", 422, "limt"},
		{"paths", `{"queries":[{"anchor":"Portugal","path":["borders"]}]}`, 404, "no paths"},
		{"classes", `{"nodes":["Portugal"]}`, 404, "classifies no nodes"},
		{"nothing", "", 404, "not found"},
		{"predict", "", 405, "use POST"},
		{"models", "{}", 405, "use GET, HEAD"},
	} {
		status, text := ask(t, h.URL+"/v1/"+c.path, c.body)
		var problem struct{ Status int }
		if err := json.Unmarshal([]byte(text), &problem); err != nil || problem.Status != c.status {
			t.Errorf("%s: %v, %s", c.path, err, text)
		}
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: status %d, %s", c.path, c.body, status, text)
		}
		route, _, _ := strings.Cut("/v1/"+c.path, "?")
		method := "get"
		if c.body != "" {
			method = "post"
		}
		if o, has := described.Paths[route][method]; has && o.Responses[fmt.Sprint(status)] == nil {
			t.Errorf("%s is not described with the status %d", route, status)
		}
	}
}

// TestTasks checks that paths and classes reach the model.
func TestTasks(t *testing.T) {
	tasks := Source{"tasks", func(context.Context) (*Model, error) {
		m := &Model{Entities: []string{"a"}, Relations: []string{"r"}}
		m.Paths = func(
			_ context.Context, p query.Path, o completion.PredictOptions,
		) ([]eval.Answer, error) {
			if p.Anchor == "?" {
				return nil, errors.New("unknown anchor")
			}
			name := fmt.Sprint(p.Anchor, p.Relations, o.Top, o.Known, o.AnyKind)
			return []eval.Answer{{Entity: name, Rank: 1}}, nil
		}
		m.Classes = func(_ context.Context, node string, top int) (classify.Prediction, error) {
			if node == "?" {
				return classify.Prediction{}, errors.New("unknown node")
			}
			class := classify.Answer{Class: fmt.Sprint("kind ", top), Probability: 1, Rank: 1}
			return classify.Prediction{Node: node, Answers: []classify.Answer{class}}, nil
		}
		return m, nil
	}}
	_, h := start(t, nil, tasks)
	_, text := ask(t, h.URL+"/v1/paths", `{"model":"tasks","top":3,"known":"drop","any":true,"queries":[
		{"anchor":"a","path":["r","s"]},{"anchor":"?","path":["r"]}]}`)
	for _, want := range []string{`"a[r s] 3 drop true"`, `"error":"unknown anchor"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	_, text = ask(t, h.URL+"/v1/classes", `{"model":"tasks","nodes":["a","?"],"top":2}`)
	for _, want := range []string{`"kind 2"`, `"node":"?"`, `"answers":[]`, `"error":"unknown node"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestToken checks that all but the page needs the token.
func TestToken(t *testing.T) {
	_, h := start(t, func(o *Options) { o.Token = "a token of the test" })
	for _, path := range []string{"/v1/models", "/metrics", "/openapi.json", "/v1/reload"} {
		for header, want := range map[string]int{
			"": 401, "Bearer wrong": 401, "Bearer": 401, "Bearer a token of the test": 200,
			"bearer a token of the test": 200, "a token of the test": 401,
		} {
			r, err := http.NewRequest(http.MethodGet, h.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if path == "/v1/reload" {
				r.Method = http.MethodPost
			}
			r.Header.Set("Authorization", header)
			if status, text := send(t, r); status != want {
				t.Errorf("%s, %q: status %d, %s", path, header, status, text)
			}
		}
	}
	if status, text := ask(t, h.URL, ""); status != 200 || strings.Contains(text, "Portugal") {
		t.Errorf("the page: status %d", status)
	}
}

// TestListen checks that an address that is open to others needs a token.
func TestListen(t *testing.T) {
	for _, c := range []struct {
		address, token string
		refused        bool
	}{
		{"127.0.0.1:0", "", false}, {"localhost:0", "", false}, {":0", "", true},
		{"0.0.0.0:0", "", true}, {"0.0.0.0:0", "token", false},
	} {
		o := DefaultOptions()
		o.Token = c.token
		l, err := Listen(t.Context(), c.address, o)
		if errors.Is(err, ErrNeedsToken) != c.refused || (err == nil) == c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			l.Close()
		}
	}
}

// TestOtherSites checks that other sites in a browser can neither read nor change anything.
func TestOtherSites(t *testing.T) {
	_, h := start(t, nil)
	for name, c := range map[string]struct {
		host, site string
		want       int
	}{
		"own":       {"", "same-origin", 200},
		"none":      {"", "", 200},
		"rebinding": {"evil.example", "same-origin", 403},
		"other":     {"", "cross-site", 403},
	} {
		r, err := http.NewRequest(http.MethodPost, h.URL+"/v1/reload", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		status, text := send(t, r)
		if status != c.want {
			t.Errorf("%s: status %d, %s", name, status, text)
		}
		var problem struct{ Status int }
		if err := json.Unmarshal([]byte(text), &problem); err != nil ||
			status != 200 && problem.Status != status {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}

// slow answers after it is released.
type slow struct{ began, release chan struct{} }

func (s slow) source() Source {
	return Source{"slow", func(context.Context) (*Model, error) {
		return &Model{Entities: []string{"a"}, Paths: func(
			ctx context.Context, _ query.Path, _ completion.PredictOptions,
		) ([]eval.Answer, error) {
			s.began <- struct{}{}
			select {
			case <-s.release:
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}}, nil
	}}
}

const slowRequest = `{"model":"slow","queries":[{"anchor":"a","path":["r"]}]}`

// TestOverload checks the limits of requests at a time and of their time.
func TestOverload(t *testing.T) {
	s := slow{make(chan struct{}), make(chan struct{})}
	_, h := start(t, func(o *Options) { o.MaxRequests = 1 }, s.source())
	ended := make(chan int)
	go func() {
		status, _ := ask(t, h.URL+"/v1/paths", slowRequest)
		ended <- status
	}()
	<-s.began
	answer, err := http.Get(h.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 503 || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("status %d, %v", answer.StatusCode, answer.Header)
	}
	s.release <- struct{}{}
	if status := <-ended; status != 200 {
		t.Errorf("status %d", status)
	}
	if status, _ := ask(t, h.URL+"/v1/models", ""); status != 200 {
		t.Errorf("status %d after the overload", status)
	}

	_, h = start(t, func(o *Options) { o.Timeout = 50 * time.Millisecond }, s.source())
	go func() { <-s.began }()
	answer, err = http.Post(h.URL+"/v1/paths", "application/json", strings.NewReader(slowRequest))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 503 || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("status %d, %v", answer.StatusCode, answer.Header)
	}
}

// TestGracefulEnd checks that a request that has begun is answered after the end.
func TestGracefulEnd(t *testing.T) {
	slow := slow{make(chan struct{}), make(chan struct{})}
	s, err := New(t.Context(), []Source{slow.source()}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan int, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	url := "http://" + listener.Addr().String() + "/v1/paths"
	go func() {
		status, _ := ask(t, url, slowRequest)
		answered <- status
	}()
	<-slow.began
	cancel()
	for { // until new connections are refused
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(time.Millisecond)
	}
	close(slow.release)
	if status := <-answered; status != 200 {
		t.Errorf("status %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.Close()
}

// TestReload checks that a damaged model keeps the previous one, that none is used after it is
// freed, and that all are freed.
func TestReload(t *testing.T) {
	g, m := world()
	var damaged error
	version := 0
	var unfreed atomic.Int64
	open := func(ctx context.Context) (*Model, error) {
		version++
		if damaged != nil {
			return nil, damaged
		}
		answerer, err := completion.NewAnswerer(completion.Single{Model: m}, g, cpu.New(1))
		if err != nil {
			return nil, err
		}
		opened := NewModel(answerer)
		opened.Relations = []string{fmt.Sprint("version ", version)}
		unfreed.Add(1)
		opened.Close = func() { unfreed.Add(-1) }
		return opened, nil
	}
	s, h := start(t, nil, Source{"changing", open})
	versionOf := func() string {
		return decode[relations](t, 200,
			second(ask(t, h.URL+"/v1/relations?model=changing", ""))).Relations[0]
	}
	if status, text := ask(t, h.URL+"/v1/reload", "{}"); status != 200 {
		t.Fatal(text)
	}
	if got := versionOf(); got != "version 2" {
		t.Error(got)
	}
	damaged = errors.New("checksum of entities.npy differs")
	status, text := ask(t, h.URL+"/v1/reload", "{}")
	if status != 500 || !strings.Contains(text, "changing: checksum") ||
		!strings.Contains(text, "previous version still answers") {
		t.Errorf("status %d, %s", status, text)
	}
	if got := versionOf(); got != "version 2" {
		t.Error(got)
	}
	damaged = nil

	// Under load: each request is answered, by one of the versions.
	var clients sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	body := `{"model":"changing","queries":[{"head":"Portugal","relation":"borders"}]}`
	var begun sync.WaitGroup // the first requests
	for range 4 {
		begun.Add(1)
		clients.Go(func() {
			answered := sync.OnceFunc(begun.Done)
			defer answered()
			for ctx.Err() == nil {
				status, text := ask(t, h.URL+"/v1/predict", body)
				answered()
				if status != 200 || !strings.Contains(text, `"rank":10`) {
					t.Errorf("status %d, %s", status, text)
					return
				}
			}
		})
	}
	begun.Wait()
	for range 20 {
		if err := s.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	cancel()
	clients.Wait()
	metrics := second(ask(t, h.URL+"/metrics", ""))
	for _, want := range []string{
		`autoblm_reloads_total{result="failure"} 1`, `autoblm_queries_total{model="changing"} `,
		`autoblm_requests_total{route="POST /v1/reload",status="200"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
	s.Close()
	for range 1000 { // previous versions are freed in the background
		if unfreed.Load() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d models were not freed", unfreed.Load())
}

// TestNoLimits refuses options in which limits are missing.
func TestNoLimits(t *testing.T) {
	_, err := New(t.Context(), []Source{{"a", nil}}, Options{Token: "secret"})
	if err == nil || !strings.Contains(err.Error(), "DefaultOptions") || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}

// TestMetricsOfTimes checks the sum and the buckets of times.
func TestMetricsOfTimes(t *testing.T) {
	s := &Server{metrics: newMetrics()}
	s.metrics.observe("GET /", 200, 30*time.Millisecond)
	s.metrics.observe("GET /", 200, 220*time.Millisecond)
	w := httptest.NewRecorder()
	s.writeMetrics(w, nil)
	for _, want := range []string{
		`_seconds_bucket{route="GET /",le="0.05"} 1`, `_seconds_bucket{route="GET /",le="+Inf"} 2`,
		`_seconds_sum{route="GET /"} 0.25`, `_seconds_count{route="GET /"} 2`,
	} {
		if !strings.Contains(w.Body.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, w.Body)
		}
	}
}

// counting counts the calls of Predict.
type counting struct {
	release chan struct{}
	sizes   chan int
}

func (c counting) Predict(
	_ context.Context, queries []completion.Query, o completion.PredictOptions,
) ([]completion.Prediction, error) {
	c.sizes <- len(queries)
	<-c.release
	predictions := make([]completion.Prediction, len(queries))
	for i, q := range queries {
		if q.Head == "panic" {
			panic(q)
		}
		predictions[i] = completion.Prediction{Query: q, Kind: fmt.Sprint(o.Top)}
	}
	return predictions, nil
}

// TestBatches checks that waiting queries are answered together, each with its own options, also
// after a fault and without those whose request has ended.
func TestBatches(t *testing.T) {
	c := counting{make(chan struct{}), make(chan int)}
	b := newBatcher(c)
	var clients sync.WaitGroup
	ask := func(ctx context.Context, top int, heads ...string) {
		var queries []completion.Query
		for _, head := range heads {
			queries = append(queries, completion.Query{Head: head})
		}
		got, err := b.predict(ctx, queries, options{top: top})
		if (err != nil) != (heads[0] == "panic" || ctx.Err() != nil) {
			t.Errorf("%q: %v", heads, err)
		}
		for i, p := range got {
			if p.Query.Head != heads[i] || p.Kind != fmt.Sprint(top) {
				t.Errorf("%q: %+v", heads, got)
			}
		}
	}
	wait := func(jobs int) {
		for len(b.jobs) < jobs {
			time.Sleep(time.Millisecond)
		}
	}
	clients.Go(func() { ask(t.Context(), 1, "panic") })
	if n := <-c.sizes; n != 1 {
		t.Errorf("a batch of %d", n)
	}
	ended, end := context.WithCancel(t.Context())
	clients.Go(func() { ask(ended, 1, "ended") })
	wait(1)
	end()
	for i := range 3 {
		clients.Go(func() { ask(t.Context(), 1, fmt.Sprint("a", i), "b") })
	}
	wait(4)
	c.release <- struct{}{}
	if n := <-c.sizes; n != 6 {
		t.Errorf("a batch of %d, not of 6", n)
	}
	many := slices.Repeat([]string{"c"}, 2*maxBatch+1)
	clients.Go(func() { ask(t.Context(), 2, many...) })
	wait(1)
	for _, want := range []int{maxBatch, maxBatch, 1} {
		c.release <- struct{}{}
		if n := <-c.sizes; n != want {
			t.Errorf("a batch of %d, not of %d", n, want)
		}
	}
	c.release <- struct{}{}
	clients.Wait()
	b.close()
}

// TestMetrics checks the text format line by line.
func TestMetrics(t *testing.T) {
	_, h := start(t, nil, Source{"a\"b\\c", openWorld})
	ask(t, h.URL+"/v1/models", "")
	ask(t, h.URL+"/v1/nothing", "")
	text := second(ask(t, h.URL+"/metrics", ""))
	typed := map[string]bool{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "# TYPE"):
			typed[fields[2]] = true
		case strings.HasPrefix(line, "# HELP"):
		default:
			name, _, _ := strings.Cut(fields[0], "{")
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				name = strings.TrimSuffix(name, suffix)
			}
			if !typed[name] {
				t.Errorf("no type: %s", line)
			}
			var number float64
			if _, err := fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &number); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	for _, want := range []string{
		`autoblm_requests_total{route="GET /v1/models",status="200"} 1`,
		`autoblm_requests_total{route="none",status="404"} 1`,
		`autoblm_request_seconds_bucket{route="GET /v1/models",le="+Inf"} 1`,
		`autoblm_request_seconds_count{route="GET /v1/models"} 1`,
		`autoblm_requests_in_flight 1`, `autoblm_model_loaded_seconds{model="a\"b\\c"} `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestHeaders checks that a browser keeps answers from other sites.
func TestHeaders(t *testing.T) {
	_, h := start(t, nil)
	answer, err := http.Get(h.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var content bytes.Buffer
	if _, err := content.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
