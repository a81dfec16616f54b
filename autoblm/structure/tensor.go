package structure

import "fmt"

// SignTensor returns A as a tensor of shape [K, K, K], flattened:
//
//	T[i,k,j] = SignTensor()[(i*K+k)*K+j] ∈ {-1, 0, 1}
//
// for head chunk i, relation chunk k (0 stands for the value 1) and tail chunk
// j: sign(A_ij) where k is A_ij's relation chunk, else 0. In this form a
// structure is data, not code. With chunks h_i, r_k and t_j and elementwise
// products, the query vectors are
//
//	q_j = Σ_ik T[i,k,j] h_i·r_k    f_A(h,r,t) = Σ_j ⟨q_j, t_j⟩   (all tails: q·Eᵀ)
//	p_i = Σ_kj T[i,k,j] r_k·t_j    f_A(h,r,t) = Σ_i ⟨h_i, p_i⟩   (all heads: p·Eᵀ)
func (s Structure) SignTensor() []int8 {
	k := s.K()
	tensor := make([]int8, k*k*k)
	for i := range k {
		for j := range k {
			if value := s.At(i, j); value != 0 {
				tensor[(i*k+abs(value)-1)*k+j] = int8(sign(value))
			}
		}
	}
	return tensor
}

// Score returns f_A(h,r,t) straight from its definition, to check faster programs
// with. All three embeddings have the same length, a multiple of K; it panics
// otherwise.
func (s Structure) Score(h, r, t []float64) float64 {
	k := s.K()
	if len(r) != len(h) || len(t) != len(h) || k == 0 || len(h)%k != 0 {
		panic(fmt.Sprintf("structure: embeddings of lengths %d, %d, %d do not have %d equal chunks",
			len(h), len(r), len(t), k))
	}
	width := len(h) / k
	total := 0.0
	for i := range k {
		for j := range k {
			value := s.At(i, j)
			if value == 0 {
				continue
			}
			relation := abs(value) - 1
			product := 0.0
			for n := range width {
				product += h[i*width+n] * r[relation*width+n] * t[j*width+n]
			}
			total += float64(sign(value)) * product
		}
	}
	return total
}
