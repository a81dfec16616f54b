// Command generate makes the files of the knowledge graph "world" out of
// countries.json of the npm package world-countries:
//
//	npm pack world-countries@5.1.0
//	tar -xzf world-countries-5.1.0.tgz
//	go run ./datasets/world/generate -out datasets/world package/countries.json
//
// The same countries.json and seed give the same files.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", ".", "folder for train.txt, valid.txt and test.txt")
	seed := flag.Uint64("seed", 1, "seed of the split")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: generate [-out DIR] [-seed N] countries.json")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := generate(flag.Arg(0), *out, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(countriesPath, out string, seed uint64) error {
	content, err := os.ReadFile(countriesPath)
	if err != nil {
		return err
	}
	var countries []country
	if err := json.Unmarshal(content, &countries); err != nil {
		return fmt.Errorf("%s: %w", countriesPath, err)
	}
	facts, err := factsOf(countries)
	if err != nil {
		return fmt.Errorf("%s: %w", countriesPath, err)
	}
	train, valid, test := split(facts, seed)
	files := map[string][]fact{"train.txt": train, "valid.txt": valid, "test.txt": test}
	for name, facts := range files {
		var text bytes.Buffer
		for _, f := range facts {
			fmt.Fprintf(&text, "%s\t%s\t%s\n", f.head, f.relation, f.tail)
		}
		if err := os.WriteFile(filepath.Join(out, name), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
