package datasets

import (
	"embed"
	"fmt"

	"github.com/autoblm/autoblm-go/internal/textfile"
)

// The facts, their source and licence are in the folder world.
//
//go:embed world/train.txt world/valid.txt world/test.txt
var worldFiles embed.FS

const worldName = "world"

// World returns the embedded knowledge graph: countries with their capitals,
// regions, languages, currencies and borders. Every call returns a new graph.
func World() *Graph {
	g, err := readTabGraph(func(split string) (*textfile.File, error) {
		path := "world/" + split + ".txt"
		file, err := worldFiles.Open(path)
		return &textfile.File{Path: path, Source: file}, err
	})
	if err != nil {
		panic(fmt.Sprintf("datasets: the embedded graph is damaged: %v", err)) // ruled out by the tests
	}
	g.Name = worldName
	return g
}
