package datasets

import (
	"bytes"
	"embed"
	"fmt"
)

// The facts, their source, licence and generator are in the folder world.
//
//go:generate go run ./world/generate -out world $WORLD_COUNTRIES_JSON
//go:embed world/train.txt world/valid.txt world/test.txt
var worldFiles embed.FS

const worldName = "world"

// World returns the embedded knowledge graph: countries with their capitals,
// regions, languages, currencies and borders. Every call returns a new graph.
func World() *Graph {
	g, err := readTabGraph(func(split string) (*textFile, func(), error) {
		path := "world/" + split + ".txt"
		content, err := worldFiles.ReadFile(path)
		return &textFile{path: path, source: bytes.NewReader(content)}, func() {}, err
	})
	if err != nil {
		panic(fmt.Sprintf("datasets: the embedded graph is damaged: %v", err)) // ruled out by the tests
	}
	g.Name = worldName
	return g
}
