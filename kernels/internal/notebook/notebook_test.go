package notebook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// saved is a notebook that Python's nbformat 5.5 wrote, with attachments, text
// beyond ASCII, control characters, nested metadata and outputs of all types.
const saved = "testdata/nbformat.ipynb"

func TestWhatJupyterSavedIsWrittenBackByteForByte(t *testing.T) {
	want, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Read(saved)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.ipynb")
	if err := n.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("written back otherwise (-saved +written):\n%s", diff)
	}
}

func TestSourceAndKinds(t *testing.T) {
	n, err := Read(saved)
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Cells[1].Source(); got != "x\ny\n\u2028\"<&>é\x1b" {
		t.Errorf("source %q", got)
	}
	for i, want := range []bool{false, true, false} { // markdown, code, code without text
		if got := n.Cells[i].IsCode(); got != want {
			t.Errorf("cell %d: IsCode %v", i+1, got)
		}
	}
}

func TestOutputsInTheFormOfTheFormat(t *testing.T) {
	n := parse(t, `{"cells":[{"cell_type":"code","source":"1","outputs":[],"execution_count":null}],"nbformat":4}`)
	outputs := []Output{
		{Type: Stream, Name: "stdout", Text: "a\n\nb\n"},
		{Type: Display, Data: map[string]json.RawMessage{
			"text/html":        json.RawMessage(`"<p>\n</p>"`),
			"image/png":        json.RawMessage(`"iVBO\n"`),
			"application/json": json.RawMessage(`{"a":1.50}`),
		}},
		{Type: Result, Count: 3, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`""`)}},
		{Type: Failure, ErrorName: "E", ErrorValue: "v", Traceback: []string{"a\nb"}},
	}
	if err := n.Cells[0].SetOutputs(outputs, 3); err != nil {
		t.Fatal(err)
	}
	const want = `{"cells":[{"cell_type":"code","source":"1","execution_count":3,"outputs":[
		{"output_type":"stream","name":"stdout","text":["a\n","\n","b\n"]},
		{"output_type":"display_data","metadata":{},"data":{"text/html":["<p>\n","</p>"],"image/png":"iVBO\n","application/json":{"a":1.50}}},
		{"output_type":"execute_result","execution_count":3,"metadata":{},"data":{"text/plain":[]}},
		{"output_type":"error","ename":"E","evalue":"v","traceback":["a\nb"]}
	]}],"nbformat":4}`
	if got := written(t, n); !sameJSON(t, []byte(want), got) {
		t.Errorf("got %s", got)
	}
	if err := n.Cells[0].SetOutputs([]Output{{Type: "picture"}}, 1); err == nil {
		t.Error("an output of no type of the format was taken")
	}
}

func TestStripLeavesTheRest(t *testing.T) {
	n := parse(t, `{"cells":[
		{"cell_type":"code","source":"1","outputs":[{"output_type":"stream","name":"stdout","text":"x"}],"execution_count":7,"metadata":{"execution":{"iopub.status.busy":"2026-01-01"},"tags":["a"]},"id":"c"},
		{"cell_type":"markdown","source":["x"],"metadata":{}}],"metadata":{"mine":[1,2]},"nbformat":4,"nbformat_minor":5}`)
	if !n.Strip() {
		t.Error("said that there was nothing to strip")
	}
	const want = `{"cells":[
		{"cell_type":"code","source":"1","outputs":[],"execution_count":null,"metadata":{"tags":["a"]},"id":"c"},
		{"cell_type":"markdown","source":["x"],"metadata":{}}],"metadata":{"mine":[1,2]},"nbformat":4,"nbformat_minor":5}`
	if got := written(t, n); !sameJSON(t, []byte(want), got) {
		t.Errorf("got %s", got)
	}
	if n.Strip() {
		t.Error("stripped twice")
	}
}

// TestStamp: what code outputs are of is noted, known again, and taken away with them.
func TestStamp(t *testing.T) {
	const text = `{"cells":[{"cell_type":"markdown","source":"x"},{"cell_type":"code","source":"1","outputs":[],"execution_count":null},{"cell_type":"code","source":["2\n","3"],"outputs":[],"execution_count":null}],"metadata":{"mine":[1]},"nbformat":4}`
	n := parse(t, text)
	if there, _ := n.OutputsAre(); there {
		t.Error("there are outputs in a notebook that was not executed")
	}
	before := written(t, n)
	if err := n.Cells[1].SetOutputs(nil, 1); err != nil {
		t.Fatal(err)
	}
	if there, current := n.OutputsAre(); !there || current {
		t.Errorf("without a note: %v, %v", there, current)
	}
	if err := n.Stamp(); err != nil {
		t.Fatal(err)
	}
	executed := written(t, n)
	if there, current := parse(t, string(executed)).OutputsAre(); !there || !current {
		t.Errorf("noted: %v, %v", there, current)
	}
	for change, current := range map[[2]string]bool{
		{`"2\n"`, `"4\n"`}: false, {`"source":"1"`, `"source":""`}: false, {`"x"`, `"y"`}: true, {`"mine"`, `"ours"`}: true,
	} {
		var compact bytes.Buffer
		if err := json.Compact(&compact, executed); err != nil || !strings.Contains(compact.String(), change[0]) {
			t.Fatalf("%v, there is no %s in %s", err, change[0], &compact)
		}
		if _, got := parse(t, strings.Replace(compact.String(), change[0], change[1], 1)).OutputsAre(); got != current {
			t.Errorf("%s in the place of %s: current %v", change[1], change[0], got)
		}
	}
	if !n.Strip() || !bytes.Equal(written(t, n), before) {
		t.Errorf("stripped, it is %s, and was %s", written(t, n), before)
	}
}

func TestGiveIDsKeepsGoodOnes(t *testing.T) {
	const text = `{"cells":[{"cell_type":"raw","source":"","id":"keep-me"},{"cell_type":"raw","source":""},
		{"cell_type":"raw","source":"","id":"keep-me"},{"cell_type":"raw","source":"","id":"no spaces"}],"nbformat":4,"nbformat_minor":2}`
	n, again := parse(t, text), parse(t, text)
	n.GiveIDs()
	again.GiveIDs()
	seen := map[string]bool{}
	for i, c := range n.Cells {
		var id string
		if err := json.Unmarshal(c.fields["id"], &id); err != nil || !validID.MatchString(id) || seen[id] {
			t.Errorf("cell %d has the id %s, which is bad or taken", i+1, c.fields["id"])
		}
		seen[id] = true
	}
	if !seen["keep-me"] {
		t.Error("an id was lost")
	}
	if !bytes.Equal(written(t, n), written(t, again)) {
		t.Error("the same notebook got other ids")
	}
	if got := string(n.rest["nbformat_minor"]); got != "5" {
		t.Errorf("nbformat_minor %s", got)
	}
}

func TestWhatIsNoNotebook(t *testing.T) {
	for content, want := range map[string]string{
		``:                                       "not a notebook: line 1: unexpected end",
		"{\n\n  nope}":                           "line 3",
		`[]`:                                     "no JSON object",
		`null`:                                   "no number nbformat",
		`{"nbformat":3,"worksheets":[]}`:         "notebook format 3",
		`{"nbformat":4}`:                         "no list cells",
		`{"nbformat":4,"cells":[{"source":""}]}`: "cell 1: it has no text cell_type",
		`{"nbformat":4,"cells":[{"cell_type":"raw","source":""},{"cell_type":"raw"}]}`: "cell 2: source",
	} {
		if _, err := Parse([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", content, err, want)
		}
	}
}

// FuzzParse: what is read is written with the same meaning, and what is written
// is read again and written the same.
func FuzzParse(f *testing.F) {
	content, err := os.ReadFile(saved)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte(`{"cells":[{"cell_type":"code","source":[],"x":1e400}],"nbformat":4,"é":{"b":[null],"a":"\ud800"}}`))
	f.Add([]byte(`{"cells":[],"nbformat":4}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		n, err := Parse(content)
		if err != nil {
			return
		}
		once := written(t, n)
		if !sameJSON(t, content, once) {
			t.Fatalf("%q was written as %q", content, once)
		}
		n, err = Parse(once)
		if err != nil {
			t.Fatalf("cannot read what was written, %q: %v", once, err)
		}
		if twice := written(t, n); !bytes.Equal(once, twice) {
			t.Fatalf("written %q, then %q", once, twice)
		}
		n.GiveIDs()
		n.Strip()
		if n.Strip() {
			t.Fatalf("%q: stripped twice", once)
		}
	})
}

func parse(t *testing.T, text string) *Notebook {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func written(t *testing.T, n *Notebook) []byte {
	t.Helper()
	content, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	decoded := make([]any, 2)
	for i, content := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		if err := d.Decode(&decoded[i]); err != nil {
			t.Fatalf("%q: %v", content, err)
		}
	}
	return reflect.DeepEqual(decoded[0], decoded[1])
}
