package notebook

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
)

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// GiveIDs makes the notebook one of format 4.5, in which each cell has an id
// of its own. Ids that are there stay.
func (n *Notebook) GiveIDs() {
	var minor int
	if json.Unmarshal(n.rest["nbformat_minor"], &minor) != nil || minor < 5 {
		n.rest["nbformat_minor"] = json.RawMessage("5")
	}
	taken := map[string]bool{}
	var without []*Cell
	for _, c := range n.Cells {
		var id string
		if json.Unmarshal(c.fields["id"], &id) == nil && validID.MatchString(id) && !taken[id] {
			taken[id] = true
			continue
		}
		without = append(without, c)
	}
	for i, c := range without {
		// From the text, so that the same notebook gets the same ids again.
		id := ""
		for salt := 0; id == "" || taken[id]; salt++ {
			id = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %d %s", i, salt, c.source)))[:8]
		}
		taken[id] = true
		c.fields["id"] = json.RawMessage(`"` + id + `"`)
	}
}
