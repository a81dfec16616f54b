package autoblm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Answer queries over HTTP within a program.
func ExampleNewServer() {
	g := must(autoblm.Load("world"))
	model := must(autoblm.Train(context.Background(), g, quick(structure.MustParse("complex"))))
	served := []autoblm.Served{{Name: "world", Predictor: model, Graph: g}}
	s := must(autoblm.NewServer(context.Background(), served, autoblm.DefaultServe()))
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	defer server.Close()

	query := `{"queries": [{"head": "Portugal", "relation": "has_capital"}], "top": 1}`
	response := must(http.Post(server.URL+"/v1/predict", "application/json", strings.NewReader(query)))
	defer response.Body.Close()
	var answered struct {
		Results []struct{ Answers []struct{ Entity string } }
	}
	check(json.NewDecoder(response.Body).Decode(&answered))
	fmt.Println(answered.Results[0].Answers[0].Entity)
	// Output: Lisbon
}
