package pip

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	sumA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	sumB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// page is what a server answers at a path.
type page struct {
	kind, text string
}

const (
	kindJSON = "application/vnd.pypi.simple.v1+json"
	kindHTML = "text/html; charset=utf-8"
)

func serve(t *testing.T, pages map[string]page) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(pagesOf(pages))
	t.Cleanup(server.Close)
	return server
}

func pagesOf(pages map[string]page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, there := pages[r.URL.Path]
		if to, elsewhere := strings.CutPrefix(p.kind, "to "); elsewhere {
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return
		}
		if !there {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", p.kind)
		_, _ = io.WriteString(w, p.text)
	})
}

func client(t *testing.T, s Settings) *Client {
	t.Helper()
	c, err := NewClient(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const inJSON = `{"meta": {"api-version": "1.1"}, "name": "a-b", "versions": ["1"], "files": [
	{"filename": "a_b-1-py3-none-any.whl", "url": "../../files/a_b-1-py3-none-any.whl", "hashes": {"md5": "x", "sha256": "` + sumA + `"}, "core-metadata": {"sha256": "y"}, "yanked": "old"},
	{"filename": "a_b-2-py3-none-any.whl", "url": "https://elsewhere/x", "hashes": {}, "core-metadata": false, "size": null},
	{"filename": "a_b-3-py3-none-any.whl", "url": "file:///etc/passwd", "hashes": {}}]}`

const inHTML = `<!DOCTYPE html><html><head><base href="/files/"><title>A</title></head><body>
	<a href="a_b-1-py3-none-any.whl#sha256=` + sumA + `" data-core-metadata="sha256=y">a_b 1 &lt;</a><br/>
	<A HREF='https://elsewhere/a%5fb-2-py3-none-any.whl?x=1&amp;y=2#md5=z'>another</A>
	<a href="file:///a_b-3-py3-none-any.whl">mine</a> <a name="top">no link</a> <a href="/other/">folder</a>
	<a href="a_bc-1-py3-none-any.whl">of another package</a> <script>"<a href='a_b-4.whl'>"</script></body></html>`

// TestProtocol: the same files by PEP 691 and by PEP 503, wherever the page was moved.
func TestProtocol(t *testing.T) {
	for name, pages := range map[string]map[string]page{
		"JSON":     {"/simple/a-b/": {kindJSON, inJSON}},
		"HTML":     {"/simple/a-b/": {kindHTML, inHTML}},
		"new HTML": {"/simple/a-b/": {"application/vnd.pypi.simple.v1+html", inHTML}},
		"moved":    {"/simple/a-b/": {kind: "to /new/simple/A.b/"}, "/new/simple/A.b/": {kindJSON, strings.Replace(inJSON, "../../", "../../../", 1)}},
	} {
		server := serve(t, pages)
		files, err := client(t, Settings{Indexes: []string{server.URL + "/simple"}}).Files(t.Context(), "A_.b")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		second := "https://elsewhere/x"
		if strings.Contains(name, "HTML") {
			second = "https://elsewhere/a%5fb-2-py3-none-any.whl?x=1&y=2"
		}
		want := []File{
			{Name: "a_b-1-py3-none-any.whl", URL: server.URL + "/files/a_b-1-py3-none-any.whl", SHA256: sumA, Place: server.URL + "/simple", Metadata: true},
			{Name: "a_b-2-py3-none-any.whl", URL: second, Place: server.URL + "/simple"},
		}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPlaces: all are asked, links first; one that fails is told and does not hide the others.
func TestPlaces(t *testing.T) {
	file := func(version, sum string) string {
		return fmt.Sprintf(`<a href="a-%s-py3-none-any.whl#sha256=%s">`, version, sum)
	}
	one := serve(t, map[string]page{"/simple/a/": {kindHTML, file("1", sumA)}})
	two := serve(t, map[string]page{"/a/": {kindHTML, file("1", sumB)}, "/links.html": {kindHTML, file("3", sumB) + `<a href="b-1-py3-none-any.whl">`}})
	closed := httptest.NewServer(nil)
	closed.Close()
	folder := filepath.Join(t.TempDir(), "my wheels")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a-2-py3-none-any.whl", "b-2-py3-none-any.whl"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	local := (&url.URL{Scheme: "file", Path: folder}).String()
	c := client(t, Settings{
		Indexes: []string{strings.Replace(closed.URL, "//", "//u:secret@", 1), one.URL + "/simple/", two.URL},
		Links:   []string{local, two.URL + "/links.html", local + "/a-2-py3-none-any.whl", local + "/none"},
	})
	files, err := c.Files(t.Context(), "a")
	var got []string
	for _, f := range files {
		got = append(got, f.Name+" "+f.SHA256[:min(1, len(f.SHA256))]+" "+f.Place)
	}
	want := []string{
		"a-2-py3-none-any.whl  " + local, "a-3-py3-none-any.whl b " + two.URL + "/links.html", "a-2-py3-none-any.whl  " + local + "/a-2-py3-none-any.whl",
		"a-1-py3-none-any.whl a " + one.URL + "/simple/", "a-1-py3-none-any.whl b " + two.URL,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var place *Error
	if !errors.As(err, &place) || !strings.Contains(err.Error(), "cannot be reached") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a place that cannot be reached: %v", err)
	}
	if places := strings.Join(c.Places(), " "); strings.Contains(places, "secret") || !strings.Contains(places, "u:xxxxx@") {
		t.Errorf("the places are %s", places)
	}
	response, err := c.Get(t.Context(), files[0].URL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if content, err := io.ReadAll(response.Body); err != nil || string(content) != "content" {
		t.Errorf("of the folder: %q, %v", content, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Files(stopped, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestPagesInVain: a page that is none is an error of its place.
func TestPagesInVain(t *testing.T) {
	for says, p := range map[string]page{
		`answers with "text/plain"`: {"text/plain", "hello"},
		`answers with ""`:           {"", ""},
		"cannot be read":            {kindJSON, `{"files": `},
		`version "2.0"`:             {kindJSON, `{"meta": {"api-version": "2.0"}}`},
		"a file of this machine":    {"to file:///etc/passwd", ""},
		"round in a circle":         {"to /a/", ""},
	} {
		server := serve(t, map[string]page{"/a/": p})
		files, err := client(t, Settings{Indexes: []string{strings.Replace(server.URL, "//", "//u:secret@", 1)}}).Files(t.Context(), "a")
		var place *Error
		if !errors.As(err, &place) || len(files) > 0 || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, %v, which should say %q", files, err, says)
		}
	}
}

// TestCredentials: they are told to the host that they are for, and to no other.
func TestCredentials(t *testing.T) {
	var told []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told = append(told, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user != "u" || password != "p@":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/a/":
			w.Header().Set("Content-Type", kindHTML)
			fmt.Fprintf(w, `<a href="/files/a-1-py3-none-any.whl"> <a href="%s/a-2-py3-none-any.whl"> <a href="/moved/a-3-py3-none-any.whl">`, other.URL)
		case strings.HasPrefix(r.URL.Path, "/moved/"):
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+"/a-3-py3-none-any.whl", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	withUser := *at
	withUser.User = url.UserPassword("u", "p@")
	for name, s := range map[string]Settings{
		"in the address": {Indexes: []string{withUser.String()}},
		"of a link":      {Indexes: []string{server.URL}, Links: []string{withUser.String() + "/none.whl"}},
	} {
		told = nil
		c := client(t, s)
		files, err := c.Files(t.Context(), "a")
		if err != nil || len(files) != 3 {
			t.Fatalf("%s: %v, %v", name, files, err)
		}
		for _, f := range files {
			response, err := c.Get(t.Context(), f.URL, "")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			response.Body.Close()
		}
		if !slices.Equal(told, []string{"", ""}) {
			t.Errorf("%s: another host was told %q", name, told)
		}
	}
	for name, user := range map[string]map[string]*url.Userinfo{
		"netrc":            {"127.0.0.1": url.UserPassword("u", "p@")},
		"netrc's for all":  {"": url.UserPassword("u", "p@")},
		"netrc of another": {"other": url.UserPassword("u", "p@")},
	} {
		files, err := client(t, Settings{Indexes: []string{server.URL}, Netrc: user}).Files(t.Context(), "a")
		if name == "netrc of another" {
			if err == nil || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "netrc") {
				t.Errorf("without credentials: %v", err)
			}
		} else if err != nil || len(files) != 3 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}

// TestWays: by a proxy, and by authorities of one's own.
func TestWays(t *testing.T) {
	pages := pagesOf(map[string]page{"/a/": {kindHTML, `<a href="a-1-py3-none-any.whl">`}})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "index.invalid" {
			http.NotFound(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	secure := httptest.NewUnstartedServer(pages)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	folder := filepath.Join(t.TempDir(), "authorities")
	file := filepath.Join(folder, "ca.pem")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(file, certificate, 0o644)); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(secure.URL, "https://")
	for name, c := range map[string]struct {
		settings Settings
		reached  bool
	}{
		"a proxy":                {Settings{Indexes: []string{"http://index.invalid"}, Proxy: proxy.URL}, true},
		"a proxy by its host":    {Settings{Indexes: []string{"http://index.invalid"}, Proxy: strings.TrimPrefix(proxy.URL, "http://")}, true},
		"no proxy":               {Settings{Indexes: []string{"http://index.invalid"}}, false},
		"an unknown certificate": {Settings{Indexes: []string{secure.URL}}, false},
		"authorities":            {Settings{Indexes: []string{secure.URL}, Certificates: file}, true},
		"a folder of them":       {Settings{Indexes: []string{secure.URL}, Certificates: folder}, true},
		"trusted":                {Settings{Indexes: []string{secure.URL}, Trusted: []string{"127.0.0.1"}}, true},
		"trusted at a port":      {Settings{Indexes: []string{secure.URL}, Trusted: []string{host}}, true},
		"another is trusted":     {Settings{Indexes: []string{secure.URL}, Trusted: []string{"127.0.0.1:1"}}, false},
	} {
		files, err := client(t, c.settings).Files(t.Context(), "a")
		if reached := err == nil && len(files) == 1; reached != c.reached || !reached && !strings.Contains(fmt.Sprint(err), "cannot be reached") {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
	empty := filepath.Join(folder, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for says, s := range map[string]Settings{
		"no certificate in it": {Certificates: empty},
		"cert: open":           {Certificates: filepath.Join(folder, "gone")},
		"client-cert":          {Client: file},
		"proxy":                {Proxy: "http://u:secret@h:port"},
	} {
		if _, err := NewClient(s); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, which should say %q", err, says)
		}
	}
}

// FuzzPages: whatever a page holds, reading it is harmless, and no file of this machine is named.
func FuzzPages(f *testing.F) {
	f.Add(inJSON)
	f.Add(inHTML)
	f.Fuzz(func(t *testing.T, text string) {
		at := &url.URL{Scheme: "https", Host: "index", Path: "/simple/a/"}
		byJSON, _ := readJSON(strings.NewReader(text), at)
		byHTML, _ := readHTML(strings.NewReader(text), at)
		for _, file := range append(byJSON, byHTML...) {
			if !strings.HasPrefix(file.URL, "http") {
				t.Errorf("%q names %s", text, file.URL)
			}
		}
	})
}
