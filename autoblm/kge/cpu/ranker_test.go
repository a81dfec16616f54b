package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/mapped"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/require"
)

// rankIn ranks triples with bfloat16 kernels, or in float32 if they are nil.
func rankIn(t testing.TB, set *kernel.Set, unit *kernel.BF16Set, threads int, p kge.Parameters,
	triples []datasets.Triple, known *datasets.Known) []eval.Ranked {
	t.Helper()
	r := &ranker{threads: threads, models: []*model{newModel(set, unit, p, threads)}}
	ranks, err := r.Rank(t.Context(), triples, known)
	require.NoError(t, err)
	return ranks[0]
}

// disturbances change embeddings of entities in ways that make ranking difficult.
var disturbances = map[string]func(rng *rand.Rand, rows [][]float32){
	"nothing": func(*rand.Rand, [][]float32) {},
	"all the same": func(_ *rand.Rand, rows [][]float32) {
		for _, row := range rows {
			copy(row, rows[0])
		}
	},
	"some the same": func(rng *rand.Rand, rows [][]float32) {
		for range rows {
			copy(rows[rng.IntN(len(rows))], rows[rng.IntN(len(rows))])
		}
	},
	"few different": func(rng *rand.Rand, rows [][]float32) {
		for i := range rows {
			copy(rows[i], rows[rng.IntN(min(5, len(rows)))])
		}
	},
	"neighbours": func(rng *rand.Rand, rows [][]float32) { // which differ in their last bits
		for _, row := range rows {
			for i := range row {
				row[i] = math.Float32frombits(math.Float32bits(rows[0][i]) + rng.Uint32N(3))
			}
		}
	},
	"near neighbours": func(rng *rand.Rand, rows [][]float32) { // which are the same rounded
		for _, row := range rows {
			for i := range row {
				row[i] = rows[0][i] * (1 + 1e-4*rng.Float32())
			}
		}
	},
	"zeros": func(_ *rand.Rand, rows [][]float32) {
		for _, row := range rows {
			clear(row)
		}
	},
	"small whole numbers": func(rng *rand.Rand, rows [][]float32) {
		for _, row := range rows {
			for i := range row {
				row[i] = float32(rng.IntN(5) - 2)
			}
		}
	},
	"not a number, infinite": func(rng *rand.Rand, rows [][]float32) {
		for range 1 + len(rows)/100 {
			row := rows[rng.IntN(len(rows))]
			row[rng.IntN(len(row))] = []float32{float32(math.NaN()), float32(math.Inf(1)),
				float32(math.Inf(-1)), math.MaxFloat32}[rng.IntN(4)]
		}
	},
	"subnormal": func(rng *rand.Rand, rows [][]float32) {
		for _, row := range rows {
			for i := range row {
				if rng.IntN(3) > 0 {
					row[i] *= 0x1p-130
				}
			}
		}
	},
	"all subnormal": func(_ *rand.Rand,
		rows [][]float32) {
		scale(rows, func() float32 { return 0x1p-128 })
	},
	"tiny": func(_ *rand.Rand,
		rows [][]float32) {
		scale(rows, func() float32 { return 1e-30 })
	},
	"small": func(_ *rand.Rand,
		rows [][]float32) {
		scale(rows, func() float32 { return 1e-17 })
	},
	"large": func(_ *rand.Rand,
		rows [][]float32) {
		scale(rows, func() float32 { return 1e15 })
	},
	"huge": func(_ *rand.Rand,
		rows [][]float32) {
		scale(rows, func() float32 { return 1e30 })
	},
	"mixed norms": func(rng *rand.Rand, rows [][]float32) {
		scale(rows, func() float32 { return float32(math.Pow(10, 60*rng.Float64()-30)) })
	},
	"unlike norms": func(rng *rand.Rand, rows [][]float32) {
		scale(rows, func() float32 { return float32(math.Pow(10, 2*rng.Float64()-1)) })
	},
	"unlike coordinates": func(rng *rand.Rand, rows [][]float32) {
		for _, row := range rows {
			for i := range row {
				row[i] *= float32(math.Pow(10, 8*rng.Float64()-4))
			}
		}
	},
	"cancelling": func(rng *rand.Rand, rows [][]float32) { // large terms whose sums are small
		for _, row := range rows {
			for i := range row {
				row[i] += float32(1-2*(i%2)) * 1000
			}
		}
	},
}

func scale(rows [][]float32, by func() float32) {
	for _, row := range rows {
		factor := by()
		for i := range row {
			row[i] *= factor
		}
	}
}

// rowsOf returns the rows of a dense table.
func rowsOf(numbers []float32, columns int) (rows [][]float32) {
	for ; len(numbers) > 0; numbers = numbers[columns:] {
		rows = append(rows, numbers[:columns:columns])
	}
	return rows
}

// TestRanksAreThoseOfFloat32 checks that counting in bfloat16 gives exactly the ranks of float32.
func TestRanksAreThoseOfFloat32(t *testing.T) {
	for name, disturb := range disturbances {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for i, size := range [][2]int{{1, 8}, {7, 8}, {191, 20}, {192, 48}, {193, 64}, {450, 32},
				{400, 100}, {195, 300}} {
				entities, dim := size[0], size[1]
				g := enginetest.RandomGraph(entities, 3, 130, uint64(i))
				m := kge.DefaultMember(structure.MustParse([]string{"complex", "distmult",
					"0,0,0,-1;4,-1,1,-1;0,4,-3,1;-1,2,2,-2"}[i%3]))
				if i < 2 {
					m = kge.DefaultMember(structure.MustParse("complex"))
				}
				m.Seed = uint64(i)
				p := kge.Initialize(completion.Data(g),
					kge.Settings{Dim: dim, InitScale: 0.5, Reciprocal: i%2 == 1}, m)
				disturb(rng, rowsOf(p.Entities, dim))
				ranksAreThoseOfFloat32(t, fmt.Sprintf("%d entities, d %d", entities, dim), p, g, i)
			}
		})
	}
}

func ranksAreThoseOfFloat32(t *testing.T, what string, p kge.Parameters, g *datasets.Graph,
	trial int) {
	t.Helper()
	known := []*datasets.Known{g.Known(), nil}[trial%2]
	sets, units := kernel.Sets(), kernel.BF16Sets()
	if len(p.Entities) > 20_000 { // those in Go are slow, most of all with subnormal numbers
		sets, units = sets[:max(1, len(sets)-1)], units[:max(1, len(units)-1)]
	}
	for i, unit := range units {
		set := sets[(trial+i)%len(sets)]
		want := rankIn(t, set, nil, 1, p, g.Train, known)
		compare := func(how string) {
			for j, got := range rankIn(t, set, unit, 1+trial%3, p, g.Train, known) {
				if got != want[j] {
					t.Fatalf("%s, %s, %s, %s: triple %d has the ranks %+v, in float32 %+v", what, how, set.Name,
						unit.Name, j, got, want[j])
				}
			}
		}
		compare("copied")
		withLargeTables(func() { compare("not copied") })
	}
}

// withLargeTables calls do while all tables are too large for copies.
func withLargeTables(do func()) {
	defer func(before int) { tiles.LargeTable = before }(tiles.LargeTable)
	tiles.LargeTable = 0
	do()
}

// TestLargeTables checks that each form ranks and scores the same without a copy of the entities, of
// dimensions with and without padding.
func TestLargeTables(t *testing.T) {
	g := enginetest.RandomGraph(450, 3, 130, 1)
	for _, f := range form.All() {
		for _, dim := range []int{20, 32} {
			m := kge.DefaultMember(structure.Structure{})
			m.Form = f
			if f == form.Bilinear {
				m = kge.DefaultMember(structure.MustParse("complex"))
			}
			settings := kge.Settings{Dim: dim, InitScale: 0.5}
			p := kge.Initialize(completion.Data(g), settings, m)
			ranks, scores := ranksAndScores(t, p, g)
			withLargeTables(func() {
				otherRanks, otherScores := ranksAndScores(t, p, g)
				if !slices.Equal(ranks, otherRanks) || !slices.Equal(scores, otherScores) {
					t.Errorf("%v, d %d: other ranks or scores without a copy", f, dim)
				}
			})
		}
	}
}

// TestRankingReleasesTables checks that ranking and scoring leave little of a table in a file in
// memory.
func TestRankingReleasesTables(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("tables in files need Linux")
	}
	g := enginetest.RandomGraph(60_000, 2, 20, 1)
	engine := New(2).WithTables(t.TempDir())
	p := kge.Initialize(completion.Data(g), kge.Settings{Dim: 100, InitScale: 0.5},
		kge.DefaultMember(structure.MustParse("complex")))
	table, err := engine.NewTable(len(p.Entities)) // of 24 MB
	require.NoError(t, err)
	defer mapped.Free(table)
	copy(table, p.Entities)
	if kb := residentOf(t, table); kb < 20<<10 {
		t.Fatalf("only %d kB of a new table are in memory", kb)
	}
	p.Entities = table
	r, err := engine.NewRanker([]kge.Parameters{p}, kge.Float32)
	require.NoError(t, err)
	defer r.Close()
	check := func(after string) {
		t.Helper()
		if kb := residentOf(t, table); kb > 12<<10 {
			t.Errorf("after %s, %d kB of the table are in memory", after, kb)
		}
	}
	_, err = r.Rank(t.Context(), g.Train, nil)
	require.NoError(t, err)
	check("ranking")
	questions := []kge.Question{{Anchor: 1, Path: []int32{0}}}
	require.NoError(t, r.Scores(t.Context(), 0, questions, func(int, []float32) {}))
	check("scoring")
	var some []int32
	for id := int32(0); int(id) < len(g.Entities); id += 7 {
		some = append(some, id)
	}
	r.(kge.Restricter).Restrict(some)
	check("restricting")
}

// residentOf returns the memory of a table in a file, in kB.
func residentOf(t *testing.T, table []float32) (kb int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	start, isTable := uint64(uintptr(unsafe.Pointer(&table[0]))), false
	end := start + uint64(4*len(table))
	for line := range strings.Lines(string(maps)) {
		switch fields := strings.Fields(line); {
		case strings.Contains(fields[0], "-"): // the range of a mapping
			var from, to uint64
			_, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to)
			require.NoError(t, err)
			isTable = from < end && start < to
		case isTable && fields[0] == "Rss:":
			n, err := strconv.Atoi(fields[1])
			require.NoError(t, err)
			kb += n
		}
	}
	return kb
}

// ranksAndScores returns the ranks of the triples of a graph, and the scores of all tails of its
// first one, among all entities and among some.
func ranksAndScores(
	t *testing.T, p kge.Parameters, g *datasets.Graph,
) (ranks []eval.Ranked, scores []float32) {
	t.Helper()
	r, err := New(2).NewRanker([]kge.Parameters{p}, kge.Float32)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, err := r.Rank(t.Context(), g.Train, g.Known())
	if err != nil {
		t.Fatal(err)
	}
	questions := []kge.Question{{Anchor: g.Train[0].Head, Path: []int32{2 * g.Train[0].Relation}}}
	visit := func(_ int, of []float32) { scores = append(scores, of...) }
	for _, s := range []kge.EntityScorer{r, r.(kge.Restricter).Restrict([]int32{3, 200, 449})} {
		if err := s.Scores(t.Context(), 0, questions, visit); err != nil {
			t.Fatal(err)
		}
	}
	return all[0], scores
}

// TestRanksOfTheOracle checks the same for each model of the oracle, among its entities and among
// many copies of them.
func TestRanksOfTheOracle(t *testing.T) {
	type oracleCase struct {
		K                   int
		Dim                 int `json:"d"`
		A                   []int
		Entities, Relations [][]float64
		Triples, Known      [][3]int32
	}
	for i, c := range realdata.Oracle[oracleCase](t, "steps.json") {
		s, err := structure.New(slices.Collect(slices.Chunk(c.A, c.K)))
		require.NoError(t, err)
		for _, times := range []int{1, 100} {
			p := kge.Parameters{Structure: s, Dim: c.Dim}
			for range times {
				p.Entities = append(p.Entities, floats(c.Entities)...)
			}
			p.Relations = floats(c.Relations)
			g := &datasets.Graph{Entities: make([]string, times*len(c.Entities)), Relations: make([]string,
				len(c.Relations)), Train: triplesOf(c.Triples), Test: triplesOf(c.Known)}
			for j := range g.Entities {
				g.Entities[j] = fmt.Sprint(j)
			}
			ranksAreThoseOfFloat32(t, fmt.Sprintf("case %d, %d times its entities", i, times), p, g, i)
		}
	}
}

func floats(rows [][]float64) (all []float32) {
	for _, row := range rows {
		for _, x := range row {
			all = append(all, float32(x))
		}
	}
	return all
}

func triplesOf(rows [][3]int32) (all []datasets.Triple) {
	for _, r := range rows {
		all = append(all, datasets.Triple{Head: r[0], Relation: r[1], Tail: r[2]})
	}
	return all
}

// FuzzRanks checks that ranks are those of float32 for any shape and scale.
func FuzzRanks(f *testing.F) {
	f.Add(uint16(300), uint8(20), uint8(60), uint64(1), 0.0, 0.0, uint8(0))
	f.Add(uint16(3), uint8(1), uint8(1), uint64(2), 3.0, -7.0, uint8(2))
	f.Add(uint16(450), uint8(70), uint8(200), uint64(3), -20.0, 1.0, uint8(1))
	f.Add(uint16(444), uint8(70), uint8(200), uint64(17), -20.0, 1.0, uint8(1))
	f.Fuzz(func(t *testing.T, entities uint16, width, triples uint8, seed uint64, exponent,
		spread float64, digits uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := enginetest.RandomGraph(1+int(entities)%3000, 3, 1+int(triples), seed)
		m := kge.DefaultMember(structure.MustParse("0,0,0,-1;4,-1,1,-1;0,4,-3,1;-1,2,2,-2"))
		m.Seed = seed
		dim := 4 * (1 + int(width)%75)
		p := kge.Initialize(completion.Data(g), kge.Settings{Dim: dim, InitScale: 0.5}, m)
		scale(rowsOf(p.Entities, dim), func() float32 {
			return float32(math.Pow(10, math.Mod(exponent, 40)+math.Mod(spread, 40)*rng.Float64()))
		})
		for i, x := range p.Entities { // few digits make equal scores
			p.Entities[i] = math.Float32frombits(math.Float32bits(x) &^ (1<<(digits%24) - 1))
		}
		ranksAreThoseOfFloat32(t, fmt.Sprintf("%d entities, d %d", len(p.Entities)/dim, dim), p, g,
			int(seed%6))
	})
}
