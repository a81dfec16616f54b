package notebook

import "encoding/json"

// Strip takes away what executing leaves behind: outputs, execution counts, times, and
// what code they are of. It says whether there was any.
func (n *Notebook) Strip() bool {
	stripped := n.unstamp()
	for _, c := range n.Cells {
		if c.kind == "code" && c.isExecuted() {
			c.fields["outputs"] = json.RawMessage("[]")
			c.fields["execution_count"] = json.RawMessage("null")
			stripped = true
		}
		stripped = c.stripTimes() || stripped
	}
	return stripped
}

// stripTimes takes away the times that JupyterLab can record.
func (c *Cell) stripTimes() bool {
	var metadata fields
	if json.Unmarshal(c.fields["metadata"], &metadata) != nil {
		return false
	}
	if _, timed := metadata["execution"]; !timed {
		return false
	}
	delete(metadata, "execution")
	encoded, err := encode(metadata)
	if err != nil {
		return false
	}
	c.fields["metadata"] = encoded
	return true
}
