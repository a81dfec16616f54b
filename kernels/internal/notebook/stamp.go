package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// stampName is the member of a notebook's metadata that says what code its outputs are of.
const stampName = "autoblm"

type stamp struct {
	Code string `json:"code"`
}

// codeDigest is of the texts of all cells of code, in their order.
func (n *Notebook) codeDigest() string {
	hash := sha256.New()
	for _, c := range n.Cells {
		if c.IsCode() {
			fmt.Fprintf(hash, "%d\n%s", len(c.source), c.source)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Stamp notes that the outputs are those of the code as it is now.
func (n *Notebook) Stamp() error {
	text, err := encode(stamp{n.codeDigest()})
	if err != nil {
		return err
	}
	return n.setMetadata(stampName, text)
}

// unstamp takes the note away and says whether there was one.
func (n *Notebook) unstamp() bool {
	var metadata fields
	if json.Unmarshal(n.rest["metadata"], &metadata) != nil || metadata[stampName] == nil {
		return false
	}
	return n.setMetadata(stampName, nil) == nil
}

// OutputsAre says whether there are outputs, and whether they are of the code as it is now.
func (n *Notebook) OutputsAre() (there, current bool) {
	for _, c := range n.Cells {
		there = there || c.kind == "code" && c.isExecuted()
	}
	var metadata struct {
		Stamp stamp `json:"autoblm"`
	}
	err := json.Unmarshal(n.rest["metadata"], &metadata)
	return there, err == nil && metadata.Stamp.Code == n.codeDigest()
}

// setMetadata sets a member of the notebook's metadata, or takes it away where the text is nil.
func (n *Notebook) setMetadata(name string, text json.RawMessage) error {
	metadata := fields{}
	if n.rest["metadata"] != nil {
		if err := json.Unmarshal(n.rest["metadata"], &metadata); err != nil {
			return fmt.Errorf("the notebook's metadata: %w", err)
		}
	}
	if metadata == nil { // they are null
		metadata = fields{}
	}
	if metadata[name] = text; text == nil {
		delete(metadata, name)
	}
	encoded, err := encode(metadata)
	if err == nil {
		n.rest["metadata"] = encoded
	}
	return err
}
