package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// country holds the fields of an entry of countries.json that the graph uses.
type country struct {
	Name       struct{ Common string }
	Code       string `json:"cca3"`
	Capital    []string
	Region     string
	Subregion  string
	Languages  map[string]string // by code
	Currencies map[string]struct{ Name string }
	Borders    []string // codes
}

type fact struct{ head, relation, tail string }

const (
	borders      = "borders"
	locatedIn    = "located_in"
	hasCapital   = "has_capital"
	capitalOf    = "capital_of"
	speaks       = "speaks"
	usesCurrency = "uses_currency"
)

// factsOf returns the facts about the countries, without duplicates, in the
// order of the countries.
func factsOf(countries []country) ([]fact, error) {
	names, err := labelsOf(countries)
	if err != nil {
		return nil, err
	}
	nameOfCode := make(map[string]string)
	for _, c := range countries {
		nameOfCode[c.Code] = c.Name.Common
	}
	var facts []fact
	seen := make(map[fact]bool)
	add := func(head, relation, tail string) {
		if f := (fact{head, relation, tail}); !seen[f] {
			seen[f] = true
			facts = append(facts, f)
		}
	}
	for _, c := range countries {
		name, region := c.Name.Common, names.of("region", c.Region)
		for _, city := range c.Capital {
			label := names.of("city", cityKey(c, city))
			add(name, hasCapital, label)
			add(label, capitalOf, name)
		}
		add(name, locatedIn, region)
		if c.Subregion != "" {
			subregion := names.of("subregion", c.Subregion)
			add(name, locatedIn, subregion)
			add(subregion, locatedIn, region)
		}
		for _, code := range slices.Sorted(maps.Keys(c.Languages)) {
			add(name, speaks, names.of("language", code))
		}
		for _, code := range slices.Sorted(maps.Keys(c.Currencies)) {
			add(name, usesCurrency, names.of("currency", code))
		}
		for _, code := range c.Borders {
			neighbour, found := nameOfCode[code]
			if !found {
				return nil, fmt.Errorf("%s borders the unknown country %q", name, code)
			}
			// In the source a few borders are listed for one side only.
			add(name, borders, neighbour)
			add(neighbour, borders, name)
		}
	}
	return facts, nil
}

// labels maps each thing to its unique label. The key of a thing is its kind and an
// identifier: the name of a country, the country and name of a city, the code of a
// language or currency.
type labels map[[2]string]string

func (l labels) of(kind, key string) string { return l[[2]string{kind, key}] }

// chosenName resolves languages and currencies whose names differ between countries in the
// source.
var chosenName = map[string]string{
	"ron": "Romanian",
	"sot": "Southern Sotho",
	"DKK": "Danish krone",
	"GBP": "British pound",
	"NOK": "Norwegian krone",
}

// name sets the label of the language or currency with a code.
func (l labels) name(kind, code, name string) error {
	if chosen := chosenName[code]; chosen != "" {
		name = chosen
	}
	key := [2]string{kind, code}
	if other := l[key]; other != "" && other != name {
		return fmt.Errorf("the %s %s is called %q and %q: choose a name", kind, code, other, name)
	}
	l[key] = name
	return nil
}

func cityKey(c country, city string) string { return c.Code + " " + city }

// labelsOf labels countries with their common names. If a name is taken, the label of
// another thing ends with its kind: "Singapore (city)". Cities that share a name end with
// their country: "Kingston (Jamaica)".
func labelsOf(countries []country) (labels, error) {
	plain := make(labels)
	cities := make(map[string]int)
	for _, c := range countries {
		plain[[2]string{"country", c.Name.Common}] = c.Name.Common
		plain[[2]string{"region", c.Region}] = c.Region
		if c.Subregion != "" {
			plain[[2]string{"subregion", c.Subregion}] = c.Subregion
		}
		for code, currency := range c.Currencies {
			if err := plain.name("currency", code, currency.Name); err != nil {
				return nil, err
			}
		}
		for code, language := range c.Languages {
			if err := plain.name("language", code, language); err != nil {
				return nil, err
			}
		}
		for _, city := range c.Capital {
			cities[city]++
		}
	}
	for _, c := range countries {
		for _, city := range c.Capital {
			label := city
			if cities[city] > 1 {
				label = fmt.Sprintf("%s (%s)", city, c.Name.Common)
			}
			plain[[2]string{"city", cityKey(c, city)}] = label
		}
	}
	unique := make(labels)
	owner := make(map[string][2]string)
	for _, kind := range []string{"country", "region", "subregion", "city", "language", "currency"} {
		byIdentifier := func(a, b [2]string) int { return strings.Compare(a[1], b[1]) }
		for _, key := range slices.SortedFunc(maps.Keys(plain), byIdentifier) {
			if key[0] != kind {
				continue
			}
			label := plain[key]
			if _, taken := owner[label]; taken {
				label = fmt.Sprintf("%s (%s)", label, kind)
			}
			if other, taken := owner[label]; taken {
				return nil, fmt.Errorf("%v and %v would both be called %q", key, other, label)
			}
			owner[label] = key
			unique[key] = label
		}
	}
	return unique, nil
}
