package datasets

import "path/filepath"

// Source returns the name or folder with which [Open] finds the graph again: the name of the
// embedded graph or of a benchmark in its usual folder, otherwise its folder; "" for a
// graph that was made in memory.
func (g *Graph) Source() string {
	if g.Folder == "" && g.Name == World().Name {
		return g.Name
	}
	for _, b := range Registry() {
		folder, found := Locate(b.Name)
		if !found || b.Name != g.Name {
			continue
		}
		if absolute, err := filepath.Abs(folder); err == nil && absolute == g.Folder {
			return g.Name // finds the benchmark even after it moves
		}
	}
	return g.Folder
}
