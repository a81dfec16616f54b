package datasets

import (
	"embed"
	"fmt"
	"io/fs"
)

// The facts, their source and licence are in the folder world.
//
//go:embed world/train.txt world/valid.txt world/test.txt
var worldFiles embed.FS

const worldName = "world"

// World returns the embedded knowledge graph: countries with their capitals,
// regions, languages, currencies and borders. Every call returns a new graph.
func World() *Graph {
	files, err := fs.Sub(worldFiles, worldName)
	if err == nil {
		var g *Graph
		if g, err = ReadFS(files, worldName); err == nil {
			return g
		}
	}
	panic(fmt.Sprintf("datasets: the embedded graph is damaged: %v", err)) // ruled out by the tests
}
