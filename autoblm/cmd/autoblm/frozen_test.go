package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

var update = flag.Bool("update", false, "record anew what the commands of testdata/frozen print")

// frozenRecord is what commands printed, and with which instructions.
type frozenRecord struct {
	Instructions string                    `json:"instructions"`
	Printed      map[string]map[string]any `json:"printed"`
}

// TestFrozen runs the commands of testdata/frozen/commands.txt in one folder and compares
// what they print with the record, each number to the bit. New fields may be added.
func TestFrozen(t *testing.T) {
	kept, err := filepath.Abs("testdata/frozen")
	must(t, err)
	enterFrozen(t, kept, t.TempDir())
	record := readFrozen(t, filepath.Join(kept, "printed.json"))
	instructions := kernel.Sets()[0].Name
	lines := frozenCommands(t, kept)
	printed := map[string]map[string]any{}
	before := ""
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			command, same := strings.CutPrefix(line, "= ")
			here := command
			for _, command := range []string{"search ", "query train ", "classify train "} {
				if words, is := strings.CutPrefix(here, command); is {
					here = command + "--recipe basic " + words // as these were when that was recorded
				}
			}
			got := printedBy(t, here)
			if !same {
				before, printed[command] = command, got
			}
			want, limit := record.Printed[before], limitFor(command, instructions == record.Instructions)
			if *update {
				want = printed[before]
			}
			if want == nil {
				t.Fatal("nothing was recorded: go test -run TestFrozen -update does")
			}
			for _, d := range limit.differences("", want, got) {
				t.Error(d)
			}
		})
	}
	if *update && !t.Failed() {
		writeFrozen(t, filepath.Join(kept, "printed.json"), instructions, lines, printed)
	}
}

// enterFrozen makes a folder with the data the current one. The small graph stands for
// benchmarks too.
func enterFrozen(t *testing.T, kept, dir string) {
	t.Helper()
	for folder, from := range map[string]string{"small": "small", "kinds": "kinds", "umls": "small",
		"wn18rr": "small"} {
		copyFolder(t, filepath.Join(dir, folder), filepath.Join(kept, "data", from))
	}
	t.Chdir(dir)
	t.Setenv("AUTOBLM_DATA", dir)
}

// frozenCommands returns the lines without comments.
func frozenCommands(t *testing.T, kept string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(readFile(t, kept, "commands.txt")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

func readFrozen(t *testing.T, file string) (record frozenRecord) {
	t.Helper()
	if !*update || isFile(file) {
		decodeExactly(t, []byte(readFile(t, file)), &record)
	}
	return record
}

// writeFrozen writes a line for each command.
func writeFrozen(t *testing.T, file, instructions string, lines []string,
	printed map[string]map[string]any) {
	t.Helper()
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\"instructions\": %q, \"printed\": {", instructions)
	separator := ""
	for _, line := range lines {
		if o := printed[line]; o != nil {
			withoutVolatile(o)
			fmt.Fprintf(&text, "%s\n%s: %s", separator, asText(t, line), asText(t, o))
			separator = ","
		}
	}
	text.WriteString("\n}}\n")
	writeFile(t, text.String(), file)
}

// decodeExactly decodes JSON and keeps the text of numbers, so that equal text means equal bits.
func decodeExactly(t *testing.T, text []byte, into any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must(t, decoder.Decode(into))
}

// printedBy returns the JSON of a command. sha256 prints checksums of files, and csv reads a table.
func printedBy(t *testing.T, command string) (o map[string]any) {
	t.Helper()
	name, files, _ := strings.Cut(command, " ")
	switch name {
	case "sha256":
		o = map[string]any{}
		for name := range strings.FieldsSeq(files) {
			o[filepath.Base(name)] = fmt.Sprintf("%x", sha256.Sum256([]byte(readFile(t, name))))
		}
		return o
	case "csv":
		return map[string]any{"rows": csvRows(t, files)}
	}
	stdout, _ := succeed(t, command, "--json")
	decodeExactly(t, []byte(strings.ReplaceAll(stdout, shellCommand(nil)+" ", "autoblm ")), &o)
	return o
}

// csvRows returns the lines of a table as maps by column name.
func csvRows(t *testing.T, name string) (rows []any) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(readFile(t, name))).ReadAll()
	must(t, err)
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// volatile reports whether a field is a time, or depends on the machine or the folder.
func volatile(o map[string]any, key string) bool {
	switch key {
	case "seconds", "overhead", "choosing", "source", "backend", "machine", "date", "versions":
		return true
	case "training": // in seconds, where it is a number
		_, isNumber := o[key].(json.Number)
		return isNumber
	case "command": // with its --out, where it is a measurement's
		return o["machine"] != nil
	}
	return false
}

func withoutVolatile(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, each := range value {
			if key != "machine" && volatile(value, key) {
				delete(value, key)
			}
			withoutVolatile(each)
		}
		delete(value, "machine")
	case []any:
		for _, each := range value {
			withoutVolatile(each)
		}
	}
}

// limit is how far what is printed may be from the record.
type limit struct {
	loss float64 // relative
	// roughly is for other instructions than those of the record: sums differ in their
	// rounding, so ranks may, and what is chosen by them. Then only losses are held.
	roughly bool
}

// limitFor returns no tolerance, except for losses of the engine gomlx, whose sums have no fixed
// order.
func limitFor(command string, sameInstructions bool) limit {
	switch {
	case !sameInstructions:
		return limit{loss: 1e-3, roughly: true}
	case strings.Contains(command, "--backend go"):
		return limit{loss: 1e-5}
	}
	return limit{}
}

// differences compares a recorded value with the printed one, which may have more fields.
func (l limit) differences(where string, want, got any) (found []string) {
	switch want := want.(type) {
	case map[string]any:
		o, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v, not an object", where, got)}
		}
		for key, each := range want {
			if volatile(want, key) {
				continue
			}
			now, there := o[key]
			if !there {
				found = append(found, fmt.Sprintf("%s.%s is missing", where, key))
				continue
			}
			found = append(found, l.differences(where+"."+key, each, now)...)
		}
		return found
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) && !l.roughly {
			return []string{fmt.Sprintf("%s is %v, not %v", where, got, want)}
		}
		for i := range min(len(want), len(list)) {
			found = append(found, l.differences(fmt.Sprintf("%s[%d]", where, i), want[i], list[i])...)
		}
		return found
	}
	a, isNumber := want.(json.Number)
	b, _ := got.(json.Number)
	if isNumber && strings.Contains(where, ".loss[") && near(a, b, l.loss) || want == got ||
		l.roughly && !strings.Contains(where, ".loss[") {
		return nil
	}
	return []string{fmt.Sprintf("%s is %v, not %v", where, got, want)}
}

func near(a, b json.Number, relative float64) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && math.Abs(x-y) <= relative*math.Abs(x)
}
