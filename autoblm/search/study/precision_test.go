package study_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// TestPrecision checks that auto keeps the precision of a study, and that another precision, or one that
// the machine does not support, is an error.
func TestPrecision(t *testing.T) {
	on := func(auto kge.Precision) *completion.Task {
		return &completion.Task{
			Graph: enginetest.Graph(),
			Engine: &enginetest.Scripted{ResolvePrecision: func(asked kge.Precision) (kge.Precision, error) {
				if asked == kge.AutoPrecision {
					return auto, nil
				}
				return asked, nil
			}},
		}
	}
	lacking := &completion.Task{
		Graph: enginetest.Graph(),
		Engine: &enginetest.Scripted{ResolvePrecision: func(asked kge.Precision) (kge.Precision, error) {
			if asked == kge.Bfloat16 {
				return asked, enginetest.ErrScripted
			}
			return kge.Float32, nil
		}},
	}
	for _, begun := range []kge.Precision{kge.Float32, kge.Bfloat16} {
		path := filepath.Join(t.TempDir(), "study.db")
		settings := search.BasicSettings()
		forSearch := func(t *completion.Task, asked kge.Precision) (*study.Study, kge.Precision, error) {
			settings.Training.Precision = asked
			p := search.Problem{Task: t, Strategy: strategy.Evolutionary{}, Settings: settings}
			s, p, err := study.OpenFor(path, p, nil)
			return s, p.Settings.Training.Precision, err
		}
		other := kge.Float32 + kge.Bfloat16 - begun
		for i, c := range []struct {
			task  *completion.Task
			asked kge.Precision
		}{{on(begun), kge.AutoPrecision}, {on(other), kge.AutoPrecision}, {on(other), begun}} {
			s, came, err := forSearch(c.task, c.asked)
			if err != nil || came != begun {
				t.Fatalf("begun in %v, and the %d. time %v comes to %v, %v", begun, i+1, c.asked, came, err)
			}
			if i == 0 {
				if err := s.Put(search.Change{Trials: trials()[:1]}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if contents, err := study.Read(path); err != nil ||
				contents.About.Settings.Training.Precision != begun {
				t.Errorf("begun in %v, the study has %+v, %v", begun, contents, err)
			}
		}
		_, _, err := forSearch(on(other), other)
		if says := "precision " + begun.String() + " there, " + other.String() + " here"; err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%v, which should say %q", err, says)
		}
		s, _, err := forSearch(lacking, kge.AutoPrecision)
		if possible := begun == kge.Float32; possible != (err == nil) {
			t.Errorf("begun in %v, where that is not possible: %v", begun, err)
		}
		if err == nil {
			s.Close()
		} else if s, _, err = forSearch(on(other), begun); err != nil {
			t.Errorf("the refusal left the study in use: %v", err)
		} else {
			s.Close()
		}
	}
}
