package structure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseForms(t *testing.T) {
	complex := MustParse("1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2")
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return "@" + path
	}
	for _, text := range []string{
		"complex", " ComplEx\n", "hole", "HolE",
		" 1, 0,3,0 ; 0,2,0,4;\n-3,0,1,0; 0,-4,0,+2 ",
		"[[1,0,3,0],[0,2,0,4],[-3,0,1,0],[0,-4,0,2]]",
		" [ [1, 0, 3, 0],\n [0, 2, 0, 4], [-3, 0, 1, 0], [0, -4, 0, 2] ]\n",
		write("rows", "1,0,3,0;\n0,2,0,4;\n-3,0,1,0;\n0,-4,0,2\n"),
		write("json", "[[1,0,3,0],\n[0,2,0,4],\n[-3,0,1,0],\n[0,-4,0,2]]\n"),
		write("name", "complex\n"),
	} {
		if got, err := Parse(text); err != nil || got != complex {
			t.Errorf("Parse(%q) = %v, %v; want ComplEx", text, got, err)
		}
	}
	if cp, err := Parse("cp"); err != nil || cp != MustParse("simple") {
		t.Errorf("cp is %v, %v; want SimplE", cp, err)
	}
	for _, text := range []string{"1", "0", "-1,0;2,-1"} {
		if got, err := Parse(text); err != nil || got.String() != text {
			t.Errorf("Parse(%q) = %v, %v", text, got, err)
		}
	}
}

func TestParseErrorsSayWhere(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxFileBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	nested := filepath.Join(t.TempDir(), "nested")
	if err := os.WriteFile(nested, []byte("@"+large), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, wants := range map[string][]string{
		"":                     {"nothing given", "complex"},
		"  \n":                 {"nothing given"},
		"1,0;0,3":              {"row 2, column 2", "3", "-2 to 2"},
		"1,0;-3,1":             {"row 2, column 1", "-3", "-2 to 2"},
		"1,2;3":                {"row 2", "length 1", "length 2"},
		"1,0;0,2;":             {"row 3 is empty"},
		";1":                   {"row 1 is empty"},
		"1,x;0,2":              {"row 1, column 2", `"x"`},
		"1,;0,2":               {"row 1, column 2", `""`},
		"1.5":                  {"row 1, column 1", `"1.5"`},
		"99999999999999999999": {"row 1, column 1"},
		"1;2;3;4;5;6;7;8;9":    {"9 rows", "1 to 8"},
		"[]":                   {"0 rows"},
		"[1,2]":                {"a row is not an array"},
		"[[1,0],null]":         {"row 2", "length 0"},
		`[[1,0],[0,"2"]]`:      {"row 2, column 2"},
		"[[1,0],[0,2.0]]":      {"row 2, column 2", "2.0"},
		"[[1,0],[0,3]]":        {"row 2, column 2", "3", "-2 to 2"},
		"[[1,0],[0,2]":         {"bad JSON near byte"},
		"[[1]] [[1]]":          {"bad JSON near byte"},
		"rescal":               {`"rescal"`, "no model of that name", "distmult", "hole"},
		"@/no/such/file":       {"/no/such/file"},
		"@" + large:            {large, "larger than"},
		"@" + nested:           {nested},
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("Parse(%q): no error", text)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Parse(%q): error %q does not say %q", text, err, want)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("Parse(%q): error of several lines %q", text, err)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStructure(1, MaxK).Draw(t, "structure")
		if got, err := Parse(s.String()); err != nil || got != s {
			t.Fatalf("%s came back as %v, %v", s, got, err)
		}
		rows, err := json.Marshal(s.Rows())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(string(rows)); err != nil || got != s {
			t.Fatalf("%s came back as %v, %v", rows, got, err)
		}
		if got, err := New(s.Rows()); err != nil || got != s {
			t.Fatalf("rows %v came back as %v, %v", s.Rows(), got, err)
		}
		// A structure is a JSON string, as a value and as a key.
		before := map[Structure][]Structure{s: {s}}
		encoded, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"` + s.String() + `":["` + s.String() + `"]}`; string(encoded) != want {
			t.Fatalf("JSON %s, want %s", encoded, want)
		}
		var after map[Structure][]Structure
		if err := json.Unmarshal(encoded, &after); err != nil || len(after[s]) != 1 || after[s][0] != s {
			t.Fatalf("%s came back as %v, %v", encoded, after, err)
		}
	})
}

func TestUnmarshalJSON(t *testing.T) {
	for text, want := range map[string]string{
		`"-1,0;2,-1"`:     "-1,0;2,-1",
		`[[-1,0],[2,-1]]`: "-1,0;2,-1",
		`"distmult"`:      "1,0,0,0;0,2,0,0;0,0,3,0;0,0,0,4",
		`null`:            "",
	} {
		var s Structure
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.String() != want {
			t.Errorf("%s is %q, %v; want %q", text, s, err, want)
		}
	}
	for _, text := range []string{`3`, `{}`, `""`, `"1,2"`, `[[3]]`} {
		s := MustParse("1")
		if err := json.Unmarshal([]byte(text), &s); err == nil || s != MustParse("1") {
			t.Errorf("%s: error %v, structure %s; want an error and the structure as it was", text, err, s)
		}
	}
}

// TestDataCannotOpenFiles checks that only command-line arguments can name a file to read, not
// data files, which may come from somebody else.
func TestDataCannotOpenFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("1,0;0,2"), 0o600); err != nil {
		t.Fatal(err)
	}
	var s Structure
	if err := s.UnmarshalText([]byte("@" + path)); err == nil {
		t.Errorf("read %s from a file named in data", s)
	}
}

func TestZeroValueHasNoText(t *testing.T) {
	if text, err := json.Marshal(Structure{}); err == nil {
		t.Errorf("a structure without cells was written as %s", text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"complex", "CP", "1,0;0,2", "-1,0;2,-1", " 1 , 0 ;0,-2", "[[1,0],[0,2]]", "[[1,null],[0]]",
		"[[[1]]]",
		"1,0;0,3", "1;;2", ",;,", "[", "1e0", "\xff", "0x1", "1,2,3,4,5,6,7,8;1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(strings.TrimSpace(text), "@") {
			t.Skip("would open files")
		}
		s, err := Parse(text)
		if err != nil {
			if s != (Structure{}) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("Parse(%q) = %v with the error %q", text, s, err)
			}
			return
		}
		if k := s.K(); k < 1 || k > MaxK {
			t.Fatalf("Parse(%q) has %d chunks", text, k)
		}
		for _, row := range s.Rows() {
			for _, value := range row {
				if abs(value) > s.K() {
					t.Fatalf("Parse(%q) holds %d with %d chunks", text, value, s.K())
				}
			}
		}
		if again, err := Parse(s.String()); err != nil || again != s {
			t.Fatalf("Parse(%q) = %s, which came back as %v, %v", text, s, again, err)
		}
	})
}
