package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// TestPredictStdin writes a line to the program, and waits for its answer before the next one.
func TestPredictStdin(t *testing.T) {
	model := t.TempDir() + "/model"
	object(t, "train --dataset", smallGraph(t), quick, "--out", model)
	program := programOf(t, "predict --top 3 --stdin --model", model)
	in, err := program.StdinPipe()
	must(t, err)
	out, err := program.StdoutPipe()
	must(t, err)
	must(t, program.Start())
	defer program.Process.Kill()
	answers := bufio.NewReader(out)
	next := func() (o map[string]any) {
		t.Helper()
		line, err := answers.ReadString('\n')
		must(t, err)
		must(t, json.Unmarshal([]byte(line), &o))
		return o
	}
	ask := func(line string) map[string]any {
		t.Helper()
		_, err := io.WriteString(in, line+"\n")
		must(t, err)
		return next()
	}
	for line, flags := range map[string]string{
		`{"head":"e10","relation":"near","tail":null}`: "--head e10 --relation near",
		`{"tail":"e10","relation":"near"}`:             "--tail e10 --relation near",
		`{"head":"?","tail":"e10","relation":"near"}`:  "--tail e10 --relation near",
		`{"head":"e10","tail":"e12"}`:                  "--head e10 --tail e12",
	} {
		o := ask(line)
		want := object(t, "predict --top 3", flags, "--model", model)
		delete(want, "warnings")
		same(t, line, o, want)
	}
	for line, message := range map[string]string{
		`{"head":"nobody","relation":"near"}`: `no entity "nobody"`,
		`{"head":"e10"}`:                      "two of head, relation and tail",
		`{"head":"e10","relation"`:            "no JSON of a query",
		`{"head":"e10","likes":"near"}`:       "likes",
		`[]`:                                  "it is of the type array",
		`{"head":3}`:                          "head is of the type number",
		`{} {}`:                               "more than one JSON value",
		"":                                    "the line is empty",
	} {
		o := ask(line)
		contains(t, get(o, "error").(string), message)
		has(t, o, fields{"answers.#": 0})
	}

	const many = 1000 // more than are answered together
	_, err = io.WriteString(in, strings.Repeat(`{"head":"e10","relation":"near"}`+"\n?\n", many/2))
	must(t, err)
	must(t, in.Close())
	for i := range many {
		if hasError := next()["error"] != nil; hasError != (i%2 == 1) {
			t.Fatalf("answer %d has an error: %v", i, hasError)
		}
	}
	if _, err := answers.ReadByte(); err != io.EOF {
		t.Errorf("after the last answer: %v", err)
	}
	must(t, program.Wait())
	refuse(t, []refusal{{cli.Misuse, "leave out", "predict --stdin --head e10 --model " + model}})
}
