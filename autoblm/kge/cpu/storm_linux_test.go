package cpu

import (
	"math/rand/v2"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
)

// TestStorms checks that neither signals nor garbage collections nor switches of goroutines and
// threads change a bit in the tiles of the matrix unit. The kernel must save their state.
func TestStorms(t *testing.T) {
	if unit := kernel.BF16Sets()[0].Name; unit != "amx" {
		t.Skipf("no matrix unit is used here, whose tiles could be lost: products are by %s", unit)
	}
	product := multiplied(1)
	training := func() []kge.Parameters {
		s, d := settings(), completion.Data(graph())
		s.Precision = kge.Bfloat16
		recipe := enginetest.Recipes()["everything"]
		recipe.Set(&s)
		p, err := New(3).NewPopulation(d, s, members(3))
		if err != nil {
			t.Error(err)
			return nil
		}
		defer p.Close()
		_, all := train(t, p.(*population), [][][]kge.Example{d.Batches(s, 1)[:2]})
		return all
	}
	wantProduct, wantTraining := product(), training()

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	const signals, products, trainings = 100_000, 6, 3
	calm, storms := make(chan struct{}), sync.WaitGroup{}
	storms.Go(func() { collect(calm) })
	blown := make(chan struct{})
	storms.Go(func() { defer close(blown); blow(t, signals) })

	var works sync.WaitGroup
	until := func(check func()) {
		works.Go(func() {
			for over := false; !over && !t.Failed(); {
				select {
				case <-blown:
					over = true // and once more
				default:
				}
				check()
			}
		})
	}
	for range products {
		multiply := multiplied(1)
		until(func() {
			if !slices.Equal(multiply(), wantProduct) {
				t.Error("a product has other bits in a storm")
			}
		})
	}
	for range trainings {
		until(func() {
			if !reflect.DeepEqual(training(), wantTraining) {
				t.Error("a training has other bits in a storm")
			}
		})
	}
	works.Wait()
	close(calm)
	storms.Wait()
}

// multiplied multiplies random factors from a seed on the matrix unit.
func multiplied(seed uint64) func() []float32 {
	const rows, columns, inner = 6 * kernel.Band, 6 * kernel.Band, 16 * kernel.TileInner
	rng, unit := rand.New(rand.NewPCG(seed, 1)), kernel.BF16Sets()[0]
	factor := func(rows int) kernel.Tiles {
		f := kernel.NewTiles(rows/kernel.Band, inner/kernel.TileInner)
		for row := range rows {
			for column := range inner {
				f.SetNumber(row, column, float32(rng.NormFloat64()))
			}
		}
		return f
	}
	a, b, c := factor(rows), factor(columns), tiles.NewTable(rows, columns)
	return func() []float32 {
		for range 20 {
			unit.Multiply(c, a, b, rows, columns, inner, false)
		}
		return c.Data
	}
}

// collect makes garbage and collects it until calm is closed.
func collect(calm chan struct{}) {
	for {
		select {
		case <-calm:
			return
		default:
			garbage := make([][]byte, 100)
			for i := range garbage {
				garbage[i] = make([]byte, 1<<10)
			}
			runtime.GC()
			runtime.Gosched()
		}
	}
}

// blow sends signals to this process's threads: those with which the runtime preempts goroutines,
// and others, which it passes on.
func blow(t *testing.T, signals int) {
	heard := make(chan os.Signal, 1) // the rest is dropped
	signal.Notify(heard, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH)
	defer signal.Stop(heard)
	for sent := 0; sent < signals; {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Error(err)
			return
		}
		for range 20 {
			for _, thread := range threads {
				number, err := strconv.Atoi(thread.Name())
				if err != nil {
					t.Error(err)
					return
				}
				s := []unix.Signal{unix.SIGURG, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH}[sent%4]
				if err := unix.Tgkill(os.Getpid(), number, s); err == nil { // else it has ended
					sent++
				}
			}
			runtime.Gosched()
		}
	}
}
