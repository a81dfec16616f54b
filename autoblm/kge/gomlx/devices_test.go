//go:build cgo && !noxla && linux

package gomlx

import (
	"flag"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/dustin/go-humanize"
	"github.com/gomlx/compute"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"k8s.io/klog/v2"
)

// TestMemoryOfShards checks that the memory on each device falls with the number of devices, as XLA
// reports it: of a training step and of a ranking, for tables and for temporary values.
func TestMemoryOfShards(t *testing.T) {
	xlatest.Devices(t, 4)
	g := enginetest.RandomGraph(20_001, 2, 300, 5) // with rows of padding
	set := kge.DefaultSettings()
	set.Dim, set.Batch = 16, 32
	members := []kge.Member{
		kge.DefaultMember(structure.MustParse("complex")),
		kge.DefaultMember(structure.MustParse("quate")),
	}
	d := completion.Data(g)
	measure := func(devices int) (step, ranking memory) {
		name := xlatest.Devices(t, max(2, devices)) + ",shard"
		if devices == 1 {
			name = xlatest.Backend(t)
		}
		engine := newEngine(t, Settings{Backend: name})
		step = reported(t, func() {
			p, err := engine.NewPopulation(d, set, members[:1])
			require.NoError(t, err)
			p.Close()
		})
		ranking = reported(t, func() {
			ranker, err := engine.NewRanker([]kge.Parameters{
				kge.Initialize(d, set, members[0]), kge.Initialize(d, set, members[1]),
			}, kge.Float32)
			require.NoError(t, err)
			defer ranker.Close()
			_, err = ranker.Rank(t.Context(), g.Train[:20], g.Known())
			require.NoError(t, err)
		})
		return step, ranking
	}
	wholeStep, wholeRanking := measure(1)
	for _, devices := range []int{2, 4} {
		step, ranking := measure(devices)
		for _, c := range []struct {
			name       string
			got, whole uint64
		}{
			{"tables in training", step.inputs, wholeStep.inputs},
			{"temporary values in training", step.temporary, wholeStep.temporary},
			{"tables in a ranking", ranking.inputs, wholeRanking.inputs},
			{"temporary values in a ranking", ranking.temporary, wholeRanking.temporary},
		} {
			share := float64(c.got) / float64(c.whole)
			t.Logf("%s: %s on each of %d devices, %s on one: %.3f",
				c.name, humanize.IBytes(c.got), devices, humanize.IBytes(c.whole), share)
			if share > 1.1/float64(devices) {
				t.Errorf("%s: %.3f of the memory on each of %d devices", c.name, share, devices)
			}
		}
	}
}

// TestMembersOnDevices checks that members that fit one device train on different devices, with the
// bits of one device.
func TestMembersOnDevices(t *testing.T) {
	name := xlatest.Devices(t, 2)
	xlatest.NeedSameBits(t, name)
	g := enginetest.Graph()
	d := completion.Data(g)
	set := kge.DefaultSettings()
	set.Dim, set.Batch = 8, 16
	var members []kge.Member
	for _, text := range []string{"complex", "quate", "simple"} {
		members = append(members, kge.DefaultMember(structure.MustParse(text)))
	}
	rates := []float64{0.1, 0.2, 0.3}
	type results struct {
		State kge.State
		Ranks [][]eval.Ranked
	}
	train := func(name string) (trained results, loss []float64, devices []compute.DeviceNum) {
		p, err := newEngine(t, Settings{Backend: name}).NewPopulation(d, set, members)
		require.NoError(t, err)
		defer p.Close()
		epoch, err := p.Epoch(t.Context(), d.Batches(set, 1), rates)
		require.NoError(t, err)
		trained.State, err = p.State()
		require.NoError(t, err)
		trained.Ranks, err = p.Rank(t.Context(), g.Test, g.Known())
		require.NoError(t, err)
		for _, g := range p.(*population).groups {
			device, err := g.shards[0].tables[0].Device()
			require.NoError(t, err)
			devices = append(devices, device)
		}
		return trained, epoch.Loss, devices
	}
	want, wantLoss, _ := train(xlatest.Backend(t))
	got, loss, devices := train(name)
	if !floats.EqualApprox(loss, wantLoss, 1e-5) { // summed per call
		t.Errorf("losses %v on two devices, %v on one", loss, wantLoss)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("on two devices: %+v, on one: %+v", got, want)
	}
	if !slices.Equal(devices, []compute.DeviceNum{0, 1}) {
		t.Errorf("the members' tables are on devices %v", devices)
	}
}

// TestStateMovesToShards checks that a training that began on one device continues on shards, with
// its embeddings and the state of its optimizer.
func TestStateMovesToShards(t *testing.T) {
	g := enginetest.RandomGraph(41, 2, 300, 5)
	d := completion.Data(g)
	set := kge.DefaultSettings()
	set.Dim, set.Batch, set.Optimizer = 8, 32, kge.Adam
	members := []kge.Member{kge.DefaultMember(structure.MustParse("complex"))}
	rates := []float64{0.01}
	open := func(name string) kge.Population {
		p, err := newEngine(t, Settings{Backend: name}).NewPopulation(d, set, members)
		require.NoError(t, err)
		t.Cleanup(p.Close)
		return p
	}
	train := func(p kge.Population, epoch int) kge.State {
		_, err := p.Epoch(t.Context(), d.Batches(set, epoch), rates)
		require.NoError(t, err)
		state, err := p.State()
		require.NoError(t, err)
		return state
	}
	whole, sharded := open(xlatest.Backend(t)), open(xlatest.Devices(t, 2)+",shard")
	first := train(whole, 1)
	require.NoError(t, sharded.SetState(first))
	moved, err := sharded.State()
	require.NoError(t, err)
	if !reflect.DeepEqual(moved, first) {
		t.Error("the state on shards is not the one that was set")
	}
	want, got := train(whole, 2), train(sharded, 2)
	wants := append([]kge.Tables{want.Members[0].Tables}, want.Members[0].Slots...)
	for i, got := range append([]kge.Tables{got.Members[0].Tables}, got.Members[0].Slots...) {
		approx := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-4 })
		if diff := cmp.Diff(wants[i].All(), got.All(), approx); diff != "" {
			t.Errorf("tables %d continued on shards: %s", i, diff)
		}
	}
}

// memory holds the bytes of a program on each device.
type memory struct{ inputs, temporary uint64 }

var memoryUsage = regexp.MustCompile(`On Device: \[.*?Inputs:(.*?), .*?Temporary:(.*?)\]`)

// reported returns the memory of the only program that a function compiles. XLA reports it in the
// log of go-xla.
func reported(t *testing.T, compile func()) memory {
	t.Helper()
	defer klog.CaptureState().Restore()
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	require.NoError(t, flags.Parse([]string{"-v=1", "-logtostderr=false"}))
	var log strings.Builder
	klog.SetOutput(&log)
	compile()
	klog.Flush()
	found := memoryUsage.FindAllStringSubmatch(log.String(), -1)
	if len(found) != 1 {
		t.Fatalf("%d programs with a size in the log:\n%s", len(found), log.String())
	}
	inputs, err := humanize.ParseBytes(found[0][1])
	require.NoError(t, err)
	temporary, err := humanize.ParseBytes(found[0][2])
	require.NoError(t, err)
	return memory{inputs, temporary}
}
