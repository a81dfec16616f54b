package server

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
)

// TestExplain compares explanations with those of the answerer.
func TestExplain(t *testing.T) {
	g, m := world()
	withoutGraph := func(context.Context) (*Model, error) {
		a, err := completion.NewAnswerer(completion.Single{Model: m}, nil, cpu.New(1))
		if err != nil {
			return nil, err
		}
		return NewModel(a), nil
	}
	_, h := start(t, nil, Source{"bare", withoutGraph})
	body := `{"top":2,"triples":[{"head":"Portugal","relation":"borders","tail":"Spain"},
		{"head":"Portugal","relation":"borders","tail":"Atlantis"}]`
	status, text := ask(t, h.URL+"/v1/explain", body+"}")
	got := decode[struct {
		Results []struct {
			Answers []struct{ Because []eval.Reason }
			Error   string
		}
	}](t, status, text).Results

	a, err := completion.NewAnswerer(completion.Single{Model: m}, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := completion.Query{Head: "Portugal", Relation: "borders", Tail: "Spain"}
	want, err := a.Predict(t.Context(), []completion.Query{q}, completion.PredictOptions{})
	if err == nil {
		err = a.Explain(t.Context(), want, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	because := got[0].Answers[0].Because
	if len(because) != 2 || !reflect.DeepEqual(because, want[0].Answers[0].Because) {
		t.Errorf("%+v, not %+v", because, want[0].Answers[0].Because)
	}
	if len(got[1].Answers) != 0 || got[1].Error == "" {
		t.Errorf("%+v", got[1])
	}
	var fault struct{ Detail string }
	status, text = ask(t, h.URL+"/v1/explain", body+`,"model":"bare"}`)
	if err := json.Unmarshal([]byte(text), &fault); err != nil || status != http.StatusNotFound ||
		fault.Detail != "the model bare is served without its data: serve it with them" {
		t.Errorf("status %d, %s", status, text)
	}
}

// TestExplainHead compares the reasons for a head with those of the answerer.
func TestExplainHead(t *testing.T) {
	g, m := world()
	a, err := completion.NewAnswerer(completion.Single{Model: m}, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := completion.Query{Relation: "borders", Tail: "Spain"}
	want := []completion.Prediction{{Query: q, Answers: []eval.Answer{{Entity: "Portugal"}}}}
	if err := a.Explain(t.Context(), want, 3); err != nil {
		t.Fatal(err)
	}
	_, h := start(t, nil)
	because := map[string][]eval.Reason{}
	for _, end := range []string{"head", "tail"} {
		status, text := ask(t, h.URL+"/v1/explain", `{"end":"`+end+
			`","triples":[{"head":"Portugal","relation":"borders","tail":"Spain"}]}`)
		because[end] = decode[struct {
			Results []struct {
				Answers []struct{ Because []eval.Reason }
			}
		}](t, status, text).Results[0].Answers[0].Because
	}
	if !reflect.DeepEqual(because["head"], want[0].Answers[0].Because) ||
		reflect.DeepEqual(because["head"], because["tail"]) {
		t.Errorf("%+v, want %+v", because, want[0].Answers[0].Because)
	}
}

// TestExplainOneAtATime checks that an explanation waits for another, until its request ends, and
// that explanations leave their place.
func TestExplainOneAtATime(t *testing.T) {
	body := `{"triples":[{"head":"Portugal","relation":"borders","tail":"Spain"}]}`
	s, h := start(t, func(o *Options) { o.Timeout = 200 * time.Millisecond })
	s.slots[0].current.Load().explaining <- struct{}{}
	if status, text := ask(t, h.URL+"/v1/explain", body); status != http.StatusServiceUnavailable {
		t.Errorf("next to another explanation: status %d, %s", status, text)
	}
	_, h = start(t, nil)
	for range 2 {
		if status, text := ask(t, h.URL+"/v1/explain", body); status != http.StatusOK {
			t.Errorf("status %d, %s", status, text)
		}
	}
}
