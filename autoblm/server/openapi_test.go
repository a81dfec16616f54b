package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// TestOpenAPI checks that the description is valid, and that it describes real requests and
// answers.
func TestOpenAPI(t *testing.T) {
	_, h := start(t, nil)
	text := second(ask(t, h.URL+"/openapi.json", ""))
	d, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkDescribed(t, []byte(text))
	d.Servers = openapi3.Servers{{URL: h.URL}}
	router, err := gorillamux.NewRouter(d)
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"models", "", 200}, {"relations?model=world", "", 200}, {"entities?q=a&limit=3", "", 200},
		{"facts?entity=Portugal", "", 200}, {"facts?entity=Atlantis", "", 404},
		{"neighbors?entity=Portugal&top=4", "", 200}, {"neighbors?entity=Atlantis", "", 404},
		{"map", "", 200},
		{"predict", `{"queries":[{"head":"Portugal","relation":"borders","tail":null},
			{"head":"x","relation":"borders"},{"head":"Portugal","tail":"Spain"}],"shares":true}`, 200},
		{"predict", `{"queries":[{"head":"Portugal","relation":"borders"}],"known":"keep"}`, 200},
		{"score", `{"triples":[{"head":"Portugal","relation":"borders","tail":"Spain"},
			{"head":"Portugal","relation":"borders"}]}`, 200},
		{"explain", `{"triples":[{"head":"Portugal","relation":"borders","tail":"Spain"},
			{"head":"x","relation":"borders","tail":"Spain"}],"top":2}`, 200},
		{"paths", `{"queries":[{"anchor":"Portugal","path":["borders"]},{}]}`, 404},
		{"classes", `{"nodes":["Portugal"]}`, 404}, {"reload", "{}", 200},
	} {
		method, body := http.MethodGet, io.Reader(nil)
		if c.body != "" {
			method, body = http.MethodPost, strings.NewReader(c.body)
		}
		r, err := http.NewRequest(method, h.URL+"/v1/"+c.path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		route, parameters, err := router.FindRoute(r)
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		request := &openapi3filter.RequestValidationInput{
			Request: r, PathParams: parameters, Route: route,
		}
		if c.path != "reload" { // it has no body
			if err := openapi3filter.ValidateRequest(t.Context(), request); err != nil {
				t.Errorf("%s: %v", c.path, err)
			}
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status {
			t.Errorf("%s: status %d, %v, %s", c.path, answer.StatusCode, err, content)
		}
		err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: request, Status: answer.StatusCode, Header: answer.Header,
			Body: io.NopCloser(bytes.NewReader(content)),
		})
		if err != nil {
			t.Errorf("%s: %v\n%s", c.path, err, content)
		}
		described[route.Path] = true
	}
	if len(described) != len(d.Paths.Map()) {
		t.Errorf("%d routes were tried, not %d", len(described), len(d.Paths.Map()))
	}
}

// checkDescribed checks that each field and each parameter in the description has a text.
func checkDescribed(t *testing.T, text []byte) {
	type field struct{ Name, Description string }
	var d struct {
		Paths      map[string]map[string]struct{ Parameters []field }
		Components struct {
			Schemas map[string]struct{ Properties map[string]field }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	fields := 0
	check := func(where string, f field) {
		if fields++; f.Description == "" {
			t.Errorf("%s has no description", where)
		}
	}
	for path, methods := range d.Paths {
		for _, m := range methods {
			for _, p := range m.Parameters {
				check(path+" "+p.Name, p)
			}
		}
	}
	for schema, s := range d.Components.Schemas {
		for name, f := range s.Properties {
			check(schema+"."+name, f)
		}
	}
	const many = 70
	if fields < many {
		t.Errorf("only %d fields were found", fields)
	}
}
