package classify

import "github.com/autoblm/autoblm-go/internal/enum"

// Encoder selects the message that an entity j sends along an edge of relation r, before the
// layer's matrix W: the composition φ(e_j, r) of Section II-B of the paper.
type Encoder int

const (
	// BLM sends g(A, r) e_j, with each member's structure A and relation embeddings for each
	// layer. It is the paper's own encoder.
	BLM Encoder = iota
	// GCN sends e_j, whatever the relation (Kipf and Welling, ICLR 2017).
	GCN
	// RGCN sends W_r e_j, where the relation matrices are sums of a few shared matrices
	// (Schlichtkrull et al., ESWC 2018, equation 3).
	RGCN
	// RGCNBlock sends W_r e_j, where the matrices are block-diagonal (ibid., equation 4).
	RGCNBlock
	// CompGCNSub sends e_j - r (Vashishth et al., ICLR 2020). Edges, reverse edges and self-loops
	// have different matrices W, self-loops have a relation, and relations are multiplied by a
	// matrix between layers.
	CompGCNSub
	// CompGCNMult sends the elementwise product of e_j and r.
	CompGCNMult
	// CompGCNCorr sends the circular correlation of e_j and r.
	CompGCNCorr
)

var encoderNames = []string{
	"blm", "gcn", "rgcn", "rgcn-block", "compgcn-sub", "compgcn-mult", "compgcn-corr",
}

// Encoders returns all encoders.
func Encoders() []Encoder {
	all := make([]Encoder, len(encoderNames))
	for i := range all {
		all[i] = Encoder(i)
	}
	return all
}

func (e Encoder) String() string { return enum.Name(encoderNames, "encoder", e) }

// MarshalText writes the name.
func (e Encoder) MarshalText() ([]byte, error) { return enum.Marshal(encoderNames, "encoder", e) }

// UnmarshalText reads a name, such as "compgcn-mult".
func (e *Encoder) UnmarshalText(text []byte) error {
	return enum.Unmarshal(encoderNames, "encoder", e, text)
}

// IsCompGCN reports whether an encoder is one of the three of CompGCN.
func (e Encoder) IsCompGCN() bool { return e >= CompGCNSub }
