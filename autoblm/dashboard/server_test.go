package dashboard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/require"
)

// answer requests a path as a browser on this machine does.
func answer(t *testing.T, h http.Handler, change func(*http.Request), path string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "127.0.0.1:8080"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if origin := w.Header().Get("Access-Control-Allow-Origin"); origin != "" {
		t.Errorf("%s: other sites may read the answer: %q", path, origin)
	}
	return w.Code, w.Body.String()
}

// byName returns the rows of a server by their names.
func byName(t *testing.T, s *Server) map[string]row {
	t.Helper()
	s.studies.next = time.Time{} // look again now
	for _, e := range s.studies.entries {
		e.row.next = time.Time{}
	}
	rows, err := s.studies.rows(t.Context())
	require.NoError(t, err)
	all := map[string]row{}
	for _, r := range rows {
		all[r.Name] = r
	}
	return all
}

func TestRows(t *testing.T) {
	dir := folder(t)
	s := newServer(dir)
	rows := byName(t, s)
	if len(rows) != 3 {
		t.Fatalf("rows %+v", rows)
	}
	done := rows["done"]
	if done.Status != study.Finished || done.Trained != budget || done.Budget != budget || done.Trials != 5 ||
		done.Dataset != "enginetest" || done.Task != "completion" || done.Metric != "MRR" ||
		done.Kept != "ComplEx" || *done.Valid != 0.31 || *done.Test != 0.305 {
		t.Errorf("%+v", done)
	}
	if half := rows["half"]; half.Status != study.Interrupted || half.Trained != 1 {
		t.Errorf("%+v", half)
	}
	if damaged := rows["damaged"]; damaged.Status != study.Unreadable ||
		!strings.Contains(damaged.Note, "damaged") {
		t.Errorf("%+v", damaged)
	}
	path := filepath.Join(dir, "half.db")
	search := startSearch(t, path)
	if half := byName(t, s)["half"]; half.Status != study.Running || half.Trained != 1 {
		t.Errorf("while a search runs: %+v", half)
	}
	search.store(4)
	if half := byName(t, s)["half"]; half.Status != study.Running || half.Trained != 2 {
		t.Errorf("after another trial: %+v", half)
	}
	search.kill()
	if half := byName(t, s)["half"]; half.Status != study.Interrupted {
		t.Errorf("after the search was killed: %+v", half)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, writeStudy(filepath.Join(dir, "new", "study.db"), 1, 2))
	rows = byName(t, s)
	if _, there := rows["half"]; there || rows["new"].Status != study.Interrupted || len(rows) != 3 {
		t.Errorf("after a study was removed and another added: %+v", rows)
	}
}

// TestNothingIsWritten checks that all pages leave the folder as it is.
func TestNothingIsWritten(t *testing.T) {
	dir := folder(t)
	before := contentsOf(t, dir)
	s := newServer(dir)
	h := s.Handler()
	answer(t, h, nil, "/")
	for _, r := range byName(t, s) {
		answer(t, h, nil, "/study/"+r.ID)
	}
	if after := contentsOf(t, dir); after != before {
		t.Errorf("the folder has changed:\n%s", after)
	}
}

// contentsOf returns the names, times and contents of all files.
func contentsOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all.WriteString(path + info.ModTime().String())
		if entry.IsDir() {
			return nil
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	})
	require.NoError(t, err)
	return all.String()
}

func TestGuard(t *testing.T) {
	s := newServer(folder(t))
	h := s.Handler("dash.example")
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "localhost:8080": 200, "LOCALHOST": 200, "[::1]:8080": 200, "[::1]": 200,
		"192.168.1.7:80": 200, "dash.example:8080": 200, "evil.example:8080": 403, "evil.example": 403,
		"127.0.0.1.evil.example": 403, "localhost.evil.example": 403, "": 403,
	} {
		status, _ := answer(t, h, func(r *http.Request) { r.Host = host }, "/")
		if status != want {
			t.Errorf("host %q: status %d, want %d", host, status, want)
		}
	}
	head := func(r *http.Request) { r.Method = http.MethodHead }
	if status, body := answer(t, h, head, "/events"); status != 200 || body != "" {
		t.Errorf("HEAD: status %d, %q", status, body)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		status, _ := answer(t, h, func(r *http.Request) { r.Method = method }, "/")
		if status != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, status)
		}
	}
}

// TestPathsAreNotTaken checks that only ids from the scan name studies.
func TestPathsAreNotTaken(t *testing.T) {
	dir := folder(t)
	outside := filepath.Join(t.TempDir(), "study.db")
	require.NoError(t, writeStudy(outside, 1, 2))
	s := newServer(dir)
	h := s.Handler()
	for _, path := range []string{"/study/half.db", "/study/" + idOf(outside), "/study/",
		"/study/" + strings.ReplaceAll(outside, "/", "%2f"), "/study/..%2f..%2fetc%2fpasswd",
		"/half.db", "/done/study.db", "/study/../half.db"} {
		if status, body := answer(t, h, nil, path); status < 300 || strings.Contains(body, "ComplEx") {
			t.Errorf("%s: status %d, %s", path, status, body)
		}
	}
	id := idOf(filepath.Join(dir, "half.db"))
	if status, body := answer(t, h, nil, "/study/"+id); status != 200 ||
		!strings.Contains(body, "ComplEx") {
		t.Errorf("status %d, %s", status, body)
	}
}

// TestSlowStudy checks that the list and other studies are served while the read of one hangs.
func TestSlowStudy(t *testing.T) {
	release := make(chan bool)
	dir := folder(t)
	s := newServer(dir)
	data := s.studies.Data
	s.studies.Data = func(path string, c *study.Contents) report.Data {
		if filepath.Base(path) == "half.db" {
			<-release
		}
		return data(path, c)
	}
	defer close(release)
	served := make(chan string)
	h := s.Handler()
	go func() {
		_, list := answer(t, h, nil, "/")
		_, page := answer(t, h, nil, "/study/"+idOf(filepath.Join(dir, "done", "study.db")))
		served <- list
		served <- page
	}()
	for _, want := range []string{`"state":"reading"`, "ComplEx"} {
		select {
		case page := <-served:
			if !strings.Contains(page, want) || !strings.Contains(page, "finished") {
				t.Errorf("%s is not in %s", want, page)
			}
		case <-time.After(time.Minute):
			t.Fatal("the server waits for a study that is slow to read")
		}
	}
}

// TestNamesAreEscaped checks that a folder cannot put markup into the page.
func TestNamesAreEscaped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "</script><script>alert(1)</script>")
	require.NoError(t, writeStudy(filepath.Join(dir, "a<script>b.db"), 1, 2))
	_, body := answer(t, newServer(dir).Handler(), nil, "/")
	if strings.Contains(body, "<script>alert") || strings.Contains(body, "a<script>") {
		t.Error(body)
	}
}

// TestFaultOfAStudy checks that a panic about one study is the error of its row.
func TestFaultOfAStudy(t *testing.T) {
	s := New(Options{Folder: folder(t), Data: func(path string, _ *study.Contents) report.Data {
		panic("nonsense in " + filepath.Base(path))
	}})
	if r := byName(t, s)["half"]; r.Status != study.Unreadable ||
		!strings.Contains(r.Note, "nonsense") {
		t.Errorf("%+v", r)
	}
}

// TestMeasures checks that what needs the graph is computed once for a state of a study, from its
// whole model, and not while a search runs.
func TestMeasures(t *testing.T) {
	dir := folder(t)
	var calls atomic.Int32
	s := newServer(dir)
	s.studies.Measure = func(_ context.Context, path string, d *report.Data) error {
		calls.Add(1)
		if len(d.Best) != 2 {
			t.Errorf("%s has the files %v of a model", path, d.Best)
		}
		d.Measures = &task.Measures{Data: []page.Part{{Text: "facts of the graph"}}}
		return nil
	}
	text := func(name string) (document, string) {
		t.Helper()
		d, err := s.studies.document(t.Context(), s.studies.find(idOf(filepath.Join(dir, name))))
		require.NoError(t, err)
		return d, string(d.data)
	}
	search := startSearch(t, filepath.Join(dir, "half.db"))
	for range 3 {
		if d, data := text("done/study.db"); d.pending == "" || !strings.Contains(data, "is added when") {
			t.Errorf("while a search runs, nothing is to be added: %s", data)
		}
	}
	if calls.Load() != 0 {
		t.Error("the measures were computed while a search ran")
	}
	search.kill()
	for {
		if d, data := text("done/study.db"); d.pending == "" {
			if !strings.Contains(data, "facts of the graph") || strings.Contains(data, "is added when") {
				t.Error(data)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	text("done/study.db")
	if calls.Load() != 1 {
		t.Errorf("the measures were computed %d times", calls.Load())
	}
	s.studies.Measure = func(context.Context, string, *report.Data) error {
		return errors.New("the graph is gone")
	}
	for {
		if d, data := text("half.db"); d.pending == "" {
			if !strings.Contains(data, "the graph is gone.") {
				t.Error(data)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// event is an event of a stream.
type event struct{ kind, id, data string }

// next reads an event.
func next(t *testing.T, stream *bufio.Reader) (e event) {
	t.Helper()
	for {
		line, err := stream.ReadString('\n')
		require.NoError(t, err)
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			e.kind = value
		case "id":
			e.id = value
		case "data":
			e.data = value
			return e
		}
	}
}

// subscribe opens a stream of events.
func subscribe(t *testing.T, url, lastEvent string) *bufio.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("Last-Event-ID", lastEvent)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("headers %v", answer.Header)
	}
	return bufio.NewReader(answer.Body)
}

// TestEvents checks that a stream sends the first state unless the page has it, and then changes.
func TestEvents(t *testing.T) {
	dir := folder(t)
	s := newServer(dir)
	s.interval = 10 * time.Millisecond
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	defer server.CloseClientConnections()
	for _, url := range []string{"/events", "/study/" + idOf(filepath.Join(dir, "half.db")) + "/events"} {
		first := next(t, subscribe(t, server.URL+url, ""))
		if first.id == "" || !json.Valid([]byte(first.data)) {
			t.Fatalf("%s: %+v", url, first)
		}
		again := subscribe(t, server.URL+url, first.id)
		search := startSearch(t, filepath.Join(dir, "half.db"))
		search.store(4)
		search.end()
		if changed := next(t, again); changed.id == first.id || changed.data == first.data {
			t.Errorf("%s: %+v", url, changed)
		}
		_ = os.Remove(filepath.Join(dir, "half.db"))
		require.NoError(t, writeStudy(filepath.Join(dir, "half.db"), 1, 3))
	}
}

// TestProblems checks that an open page is told that its study is damaged or gone, and when it is
// back.
func TestProblems(t *testing.T) {
	dir := folder(t)
	s := newServer(dir)
	s.interval = 10 * time.Millisecond
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	defer server.CloseClientConnections()
	path := filepath.Join(dir, "half.db")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	stream := subscribe(t, server.URL+"/study/"+idOf(path)+"/events", "")
	next(t, stream)
	expect := func(says string) {
		t.Helper()
		for {
			e := next(t, stream)
			if e.kind == "problem" && strings.Contains(e.data, says) {
				return
			}
		}
	}
	write := func(content []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
	write(content[:len(content)/2])
	expect("is damaged")
	require.NoError(t, os.Remove(path))
	expect("there is no")
	write(content)
	expect(`""`)
	unknown := next(t, subscribe(t, server.URL+"/study/x/events", ""))
	if unknown.kind != "problem" || !strings.Contains(unknown.data, "there is no such study") {
		t.Errorf("an unknown study has the event %+v", unknown)
	}
}

// TestServeEnds checks that open streams do not keep the server from ending.
func TestServeEnds(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- newServer(folder(t)).Serve(ctx, listener) }()
	stream := subscribe(t, "http://"+listener.Addr().String()+"/events", "")
	next(t, stream)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(stream); err != nil || bytes.Contains(rest, []byte("data")) {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
}

// TestStudyWithoutPage: a study of a model without structures is in the list, without a link, and its
// address says why.
func TestStudyWithoutPage(t *testing.T) {
	dir := t.TempDir()
	settings := search.BasicSettings()
	settings.Model = form.TransE
	about, err := study.Describe(&completion.Task{Graph: enginetest.Graph()}, strategy.Evolutionary{}, settings)
	require.NoError(t, err)
	opened, err := study.Open(filepath.Join(dir, "transe.db"), about)
	require.NoError(t, err)
	require.NoError(t, opened.Close())
	s := newServer(dir)
	r := byName(t, s)["transe"]
	if !r.NoPage || r.Status == study.Unreadable {
		t.Errorf("%+v", r)
	}
	if status, text := answer(t, s.Handler(), nil, "/study/"+r.ID); status != http.StatusNotFound ||
		!strings.Contains(text, "study show") {
		t.Errorf("status %d: %.200s", status, text)
	}
}
