package search

import "testing"

func TestPaperSettings(t *testing.T) { // Section V-A
	s := PaperSettings()
	if s.Candidates != 128 || s.RoundSize != 8 || s.Parents != 8 || s.K != 4 || s.Budget != 256 ||
		s.Training.Dim != 64 {
		t.Errorf("%+v", s)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}
