package classify

import "github.com/autoblm/autoblm-go/internal/enum"

// Encoder says what is sent along an edge from an entity j by relation r, before
// the layer's matrix W: the composition φ(e_j, r) of Section II-B of the paper.
type Encoder int

const (
	// BLM sends g(A, r) e_j, with the structure A of each member and relation
	// embeddings for each layer. It is the paper's own.
	BLM Encoder = iota
	// GCN sends e_j, whatever the relation (Kipf and Welling, ICLR 2017).
	GCN
	// RGCN sends W_r e_j, where the matrices of the relations are sums of a few
	// common ones (Schlichtkrull et al., ESWC 2018, equation 3).
	RGCN
	// RGCNBlock sends W_r e_j, where the matrices have blocks along the diagonal
	// and zeros elsewhere (ibid., equation 4).
	RGCNBlock
	// CompGCNSub sends e_j - r (Vashishth et al., ICLR 2020). Edges, reverse edges
	// and self-loops have different W, a self-loop is a relation, and from layer to
	// layer the relations are multiplied by a matrix.
	CompGCNSub
	// CompGCNMult sends the products of coordinates of e_j and r.
	CompGCNMult
	// CompGCNCorr sends the circular correlation of e_j and r.
	CompGCNCorr
)

var encoderNames = []string{"blm", "gcn", "rgcn", "rgcn-block", "compgcn-sub", "compgcn-mult", "compgcn-corr"}

// Encoders are all there are.
func Encoders() []Encoder {
	all := make([]Encoder, len(encoderNames))
	for i := range all {
		all[i] = Encoder(i)
	}
	return all
}

func (e Encoder) String() string { return enum.Of(encoderNames, "encoder", e) }

// MarshalText writes the name.
func (e Encoder) MarshalText() ([]byte, error) { return enum.Marshal(encoderNames, "encoder", e) }

// UnmarshalText reads a name, as "compgcn-mult".
func (e *Encoder) UnmarshalText(text []byte) error {
	return enum.Unmarshal(encoderNames, "encoder", e, text)
}

// IsCompGCN tells whether an encoder is one of the three of CompGCN.
func (e Encoder) IsCompGCN() bool { return e >= CompGCNSub }
