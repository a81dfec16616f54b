package task

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestDetailsAreInlined: the fields of Details are in the JSON of a trial, in their order, and are
// read back.
func TestDetailsAreInlined(t *testing.T) {
	score := 0.5
	want := Trial{
		Number:    7,
		Stage:     Searching,
		Structure: structure.MustParse("complex"),
		State:     Complete,
		Score:     &score,
		Details: json.RawMessage(
			`{"valid":{"both":{"mrr":0.5}},"a \"quoted\" name":[1,null],"test":null}`),
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"number": "7", "score": "0.5", "valid": `{"both":{"mrr":0.5}}`, `a "quoted" name`: "[1,null]", "test": "null", "seconds": "0",
	} {
		if string(fields[name]) != value {
			t.Errorf("%q is %s, want %s", name, fields[name], value)
		}
	}
	var got Trial
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back: %+v, %v; want %+v", got, err, want)
	}
}

func TestTrialWithoutDetails(t *testing.T) {
	for _, details := range []string{"", "{}", " { } "} {
		want := Trial{Number: 1, Structure: structure.MustParse("simple"), State: Running}
		with := want
		with.Details = json.RawMessage(details)
		text, err := json.Marshal(with)
		if err != nil {
			t.Fatalf("details %q: %v", details, err)
		}
		var got Trial
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("details %q: %+v, %v", details, got, err)
		}
	}
}

func TestInvalidDetails(t *testing.T) {
	for _, details := range []string{"7", "[1]", "{", `{"open":`} {
		if text, err := json.Marshal(Trial{Details: json.RawMessage(details)}); err == nil {
			t.Errorf("%s became %s", details, text)
		}
	}
	if err := json.Unmarshal([]byte(`{"number":"seven"}`), &Trial{}); err == nil {
		t.Error("a number that is none was read")
	}
}
