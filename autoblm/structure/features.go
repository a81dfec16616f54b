package structure

// OneHot returns A as K²(2K+1) zeros and ones, cell after cell in row-major order:
// cell n holding the value v sets the feature n(2K+1) + K + v. The paper
// compares its symmetry-related features with these.
func (s Structure) OneHot() []uint8 {
	k := s.K()
	symbols := 2*k + 1
	features := make([]uint8, k*k*symbols)
	for n, value := range s.flat() {
		features[n*symbols+k+int(value)] = 1
	}
	return features
}
