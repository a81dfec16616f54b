package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const islands = `[
	{"name": {"common": "Mono"}, "cca3": "MON", "capital": ["Mono"], "region": "Sea", "subregion": "East",
	 "languages": {"mon": "Mono"}, "currencies": {"DKK": {"name": "krone"}}, "borders": ["DUO"]},
	{"name": {"common": "Duo"}, "cca3": "DUO", "capital": ["Port", "Hill"], "region": "Sea", "subregion": "",
	 "languages": {}, "currencies": {"DKK": {"name": "Danish krone"}}, "borders": []},
	{"name": {"common": "Trio"}, "cca3": "TRI", "capital": ["Port"], "region": "Sea", "subregion": "East",
	 "languages": {"mon": "Mono"}, "currencies": {}, "borders": []}
]`

func generated(t *testing.T, countries string) (train, valid, test []string, err error) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "countries.json")
	if err := os.WriteFile(source, []byte(countries), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := generate(source, dir, 1); err != nil {
		return nil, nil, nil, err
	}
	lines := func(name string) []string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' })
	}
	return lines("train.txt"), lines("valid.txt"), lines("test.txt"), nil
}

func TestGenerateFacts(t *testing.T) {
	train, valid, test, err := generated(t, islands)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(slices.Concat(train, valid, test)))
	want := []string{
		"Duo\tborders\tMono", // the source has it on the other side only
		"Duo\thas_capital\tHill",
		"Duo\thas_capital\tPort (Duo)",
		"Duo\tlocated_in\tSea",
		"Duo\tuses_currency\tDanish krone",
		"East\tlocated_in\tSea",
		"Hill\tcapital_of\tDuo",
		"Mono (city)\tcapital_of\tMono",
		"Mono\tborders\tDuo",
		"Mono\thas_capital\tMono (city)",
		"Mono\tlocated_in\tEast",
		"Mono\tlocated_in\tSea",
		"Mono\tspeaks\tMono (language)",
		"Mono\tuses_currency\tDanish krone",
		"Port (Duo)\tcapital_of\tDuo",
		"Port (Trio)\tcapital_of\tTrio",
		"Trio\thas_capital\tPort (Trio)",
		"Trio\tlocated_in\tEast",
		"Trio\tlocated_in\tSea",
		"Trio\tspeaks\tMono (language)",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestGenerateRefuses(t *testing.T) {
	for want, countries := range map[string]string{
		"unknown country": `[{"name": {"common": "Mono"}, "cca3": "MON", "region": "Sea", "borders": ["XXX"]}]`,
		"choose a name": `[{"name": {"common": "Mono"}, "cca3": "MON", "region": "Sea", "languages": {"mon": "Mono"}},
			{"name": {"common": "Duo"}, "cca3": "DUO", "region": "Sea", "languages": {"mon": "Monish"}}]`,
		"countries.json": `{}`,
	} {
		if _, _, _, err := generated(t, countries); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
