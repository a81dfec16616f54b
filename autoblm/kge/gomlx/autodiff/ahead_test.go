package autodiff

import (
	"errors"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
)

// TestAhead checks that values are visited in order, each while the next one may be created, and that
// none is created after an error.
func TestAhead(t *testing.T) {
	var created, visited []int
	run := func(n, last int) error {
		created, visited = nil, nil
		return ahead(n, func(i int) int { created = append(created, i); return i * i },
			func(i, x int) error {
				visited = append(visited, i, x)
				if i == last {
					return errors.New("enough")
				}
				return nil
			})
	}
	require.NoError(t, run(0, -1))
	require.NoError(t, run(3, -1))
	if !slices.Equal(created, []int{0, 1, 2}) || !slices.Equal(visited, []int{0, 0, 1, 1, 2, 4}) {
		t.Errorf("created %v, visited %v", created, visited)
	}
	for last, want := range [][]int{{0, 1}, {0, 1, 2}, {0, 1, 2}} {
		require.Error(t, run(3, last), "enough")
		if !slices.Equal(created, want) || len(visited) != 2*(last+1) {
			t.Errorf("an error at %d: created %v, visited %v", last, created, visited)
		}
	}
}
