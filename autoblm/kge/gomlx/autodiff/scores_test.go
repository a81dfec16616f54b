package autodiff

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// TestRoomOfScores checks that the number of questions to score at a time falls with the memory limit,
// with the number of entities and with the size of a hop.
func TestRoomOfScores(t *testing.T) {
	d, s, _, _ := distances(1)
	d.Entities = make([]string, 1000)
	s.Dim = 100
	room := func(bytes int64, f form.Form) int {
		r := ranker{compiler: limited{bytes: bytes}}
		m := store(kge.Initialize(d, s, kge.Member{Form: f}))
		defer m.close()
		return r.room(m)
	}
	for _, c := range []struct {
		what  string
		bytes int64
		form  form.Form
		want  int
	}{
		{"by memory", 64 * 5000, form.TransE, 5},
		{"at least one", 1, form.TransE, 1},
		{"at most", 1 << 40, form.TransE, 8 << 20 / 1000},
		{"by the matrices of cores", 64 * 52_000, form.Core(2), 10}, // 100 + 100 + 100·50 = 5,200
		{"by maps", 64 * 1_000_000, form.ConvE{Height: 10, Filters: 32, Size: 3}.Form(), 1_000_000 / (200 + 105*18*8)},
	} {
		if got := room(c.bytes, c.form); got != c.want {
			t.Errorf("%s: %d questions at a time, want %d", c.what, got, c.want)
		}
	}
}
