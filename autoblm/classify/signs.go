package classify

import (
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/tensors"
)

// signTensors is [S, K, K, K] of the structures' sign tensors T[i,k,j]. Encoders
// without structures take an empty one.
func signTensors[F float](structures []structure.Structure) *tensors.Tensor {
	k := structures[0].K()
	signs := make([]F, 0, len(structures)*k*k*k)
	for _, s := range structures {
		for _, sign := range s.SignTensor() {
			signs = append(signs, F(sign))
		}
	}
	return tensors.FromFlatDataAndDimensions(signs, len(structures), k, k, k)
}
