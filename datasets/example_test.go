package datasets_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
)

// The neighbours of Belgium according to all splits of the embedded graph.
func ExampleOpen() {
	g, err := datasets.Open("world")
	if err != nil {
		log.Fatal(err)
	}
	belgium := int32(slices.Index(g.Entities, "Belgium"))
	borders := int32(slices.Index(g.Relations, "borders"))
	for _, country := range g.Known().Tails(belgium, borders) {
		fmt.Println(g.Entities[country])
	}
	// Unordered output:
	// France
	// Germany
	// Luxembourg
	// Netherlands
}

func ExampleDescribe() {
	s := datasets.Describe(datasets.World())
	fmt.Println(s.Entities, "entities,", s.Relations, "relations")
	for _, row := range s.Patterns {
		fmt.Printf("%-14s %d relations, %.1f%% of the test triples\n", row.Pattern, row.Relations,
			row.TestPercent)
	}
	// Output:
	// 844 entities, 6 relations
	// symmetric      1 relations, 35.4% of the test triples
	// anti-symmetric 1 relations, 27.6% of the test triples
	// general        4 relations, 37.0% of the test triples
	// inverse        2 relations, 0.0% of the test triples
}

// Make a data set from a file of facts in any format.
func ExampleImport() {
	divided, report, err := datasets.Import([]string{"world/train.txt"}, datasets.DefaultImport())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(divided.Train), len(divided.Valid), len(divided.Test))
	fmt.Println("wanted", report.WantedValid, "and", report.WantedTest)
	// Output:
	// 1494 187 187
	// wanted 187 and 187
}
