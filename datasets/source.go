package datasets

import "path/filepath"

// Source is what [Open] finds the graph by again: the name of one that is embedded or
// of a benchmark that was read from where these lie, or else its folder; "" for a graph
// that was made in memory.
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
			return g.Name // which finds the benchmark wherever it lies later
		}
	}
	return g.Folder
}
