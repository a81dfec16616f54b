package autodiff

import (
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/require"
)

// limited is a compiler with a memory limit that compiles nothing.
type limited struct {
	Compiler
	bytes int64
	notes *[]string
}

func (c limited) Memory() int64 { return c.bytes }
func (limited) Fuses() bool     { return true }

func (c limited) NoteOnce(how, text string) {
	if how != "" && !slices.Contains(*c.notes, text) {
		*c.notes = append(*c.notes, text)
	}
}

// testedMemory returns the memory of a member.
func testedMemory(d *kge.Data, s kge.Settings, m kge.Member) memory {
	return memoryOf(limited{}, d, s, m, answersPerQuestion(d, s))
}

// distances returns a training of a distance model, and its memory.
func distances(members int) (*kge.Data, kge.Settings, []kge.Member, memory) {
	d, s := completion.Data(enginetest.Graph()), kge.DefaultSettings()
	s.Dim, s.Batch, s.Reciprocal = 8, 32, true
	m := kge.Member{Form: form.TransE, Seed: 1, LearningRate: 0.1}
	var all []kge.Member
	for range members {
		all = append(all, m)
	}
	return d, s, all, testedMemory(d, s, m)
}

// TestMemoryCheck checks which populations are refused at which limit, in numbers.
func TestMemoryCheck(t *testing.T) {
	for name, c := range map[string]struct {
		members int
		limit   func(m memory) int64
		want    string
	}{
		"one with its batch":     {1, func(m memory) int64 { return m.ofStep(m.questions) }, ""},
		"one with a question":    {1, func(m memory) int64 { return m.ofStep(1) }, ""},
		"one with less":          {1, func(m memory) int64 { return m.ofStep(1) - 1 }, "a step on 1 question needs"},
		"less than a table":      {1, func(memory) int64 { return 1 }, "a step on 1 question needs"},
		"three with a batch":     {3, func(m memory) int64 { return m.ofStep(m.questions) + 2*m.state }, ""},
		"three with space for 2": {3, func(m memory) int64 { return m.ofStep(m.questions) + 2*m.state - 1 }, "at most 2 members"},
		"two with a question":    {2, func(m memory) int64 { return m.ofStep(1) }, "at most 1 member "},
	} {
		t.Run(name, func(t *testing.T) {
			d, s, members, m := distances(c.members)
			err := Supports(limited{bytes: bytesOfNumber * c.limit(m)}, d, s, members)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err, c.want)
		})
	}
}

// TestPartsOfMembers checks that the parts of a batch do not depend on the number of members, whose
// states have half of the memory, and that they are noted.
func TestPartsOfMembers(t *testing.T) {
	for _, questions := range []int{64, 63, 20, 2} {
		var rooms []int
		for _, n := range []int{1, 3} {
			d, s, members, m := distances(n)
			var notes []string
			c := limited{
				bytes: bytesOfNumber * (m.state + m.step + 2*int64(questions)*m.question), notes: &notes,
			}
			if questions == m.questions {
				c.bytes = bytesOfNumber * (m.ofStep(m.questions) + 2*m.state)
			}
			if fits := c.bytes/bytesOfNumber - m.ofStep(questions); fits < 2*m.state {
				members = members[:1+fits/m.state]
			}
			p, err := NewPopulation(c, d, s, members)
			require.NoError(t, err)
			defer p.Close()
			room := p.(*population).trainees[len(members)-1].room
			rooms = append(rooms, room)
			isDivided := len(notes) == 1 && strings.Contains(notes[0], "computing a batch in")
			if isDivided != (room < m.questions) {
				t.Errorf("%d of %d questions at a time have the notes %q", room, m.questions, notes)
			}
		}
		if rooms[0] != rooms[1] {
			t.Errorf("the limit for %d questions gives parts of %v", questions, rooms)
		}
	}
}

// TestMembersWithOtherWeights checks that the parts of a member are those that it has alone, and that a
// population is refused if a step of any member does not fit.
func TestMembersWithOtherWeights(t *testing.T) {
	d, s, _, _ := distances(1)
	small := kge.Member{Structure: structure.Zero(8), Seed: 1, LearningRate: 0.1}
	large := small
	large.RelationPrediction, large.IVR = 1, 1
	ofSmall, ofLarge := testedMemory(d, s, small), testedMemory(d, s, large)
	c := limited{
		bytes: bytesOfNumber * (ofLarge.ofStep(10) + 2*ofLarge.state), notes: new([]string),
	}
	rooms := func(members ...kge.Member) (all []int) {
		p, err := NewPopulation(c, d, s, members)
		require.NoError(t, err)
		defer p.Close()
		for _, t := range p.(*population).trainees {
			all = append(all, t.room)
		}
		return all
	}
	alone := slices.Concat(rooms(small), rooms(large))
	if alone[0] <= alone[1] {
		t.Fatalf("a member has parts of %d questions, and %d with more weights", alone[0], alone[1])
	}
	if got := rooms(small, large); !slices.Equal(got, alone) {
		t.Errorf("together, the parts are %v, not %v", got, alone)
	}
	if got := rooms(large, small); got[0] != alone[1] || got[1] != alone[0] {
		t.Errorf("in the other order, the parts are %v", got)
	}
	c.bytes = bytesOfNumber * (ofLarge.ofStep(1) - 1)
	if ofLarge.question-ofSmall.question <= ofSmall.state {
		t.Fatal("two members without the weights do not fit either")
	}
	require.NoError(t, Supports(c, d, s, []kge.Member{small, small}))
	for _, members := range [][]kge.Member{{small, large}, {large, small}} {
		require.Error(t, Supports(c, d, s, members), "a step on 1 question needs")
	}
}

// TestMemoryOfHops checks that a question needs more memory for more hops, larger cores, more chunks
// and the maps of ConvE.
func TestMemoryOfHops(t *testing.T) {
	d, s, _, _ := distances(1)
	s.Dim = 24
	question := func(m kge.Member) int64 { return testedMemory(d, s, m).question }
	core := func(partitions int) int64 { return question(kge.Member{Form: form.Core(partitions)}) }
	if got, want := core(1)-core(2), int64(4*24*(24-12)); got != want {
		t.Errorf("one partition needs %d more numbers than two, want %d", got, want)
	}
	one, more := question(kge.Member{Structure: structure.Zero(1)}),
		question(kge.Member{Structure: structure.Zero(4)})
	if got, want := more-one, int64(4*24*3); got != want {
		t.Errorf("four chunks need %d more numbers than one, want %d", got, want)
	}
	of := func(filters int) int64 {
		return question(kge.Member{Form: form.ConvE{Height: 4, Filters: filters, Size: 3}.Form()})
	}
	if got, want := of(3)-of(2), int64(6*6*4); got != want {
		t.Errorf("a filter needs %d numbers, want %d", got, want)
	}
	before := core(2)
	want := int64(2 * (8*24 + 4*24*(1+12)))
	d.Hops = 3
	if got := core(2) - before; got != want {
		t.Errorf("two more hops need %d numbers, want %d", got, want)
	}
	d.Hops, s.WalkHops = 0, 3
	if got := core(2) - before; got != want {
		t.Errorf("two more hops of walks need %d numbers, want %d", got, want)
	}
}

// TestMemoryOfAnswers checks that a question needs the memory of the answers that it learns, where it
// has all of them.
func TestMemoryOfAnswers(t *testing.T) {
	g := enginetest.RandomGraph(200, 1, 0, 1)
	for tail := range int32(100) { // one query has 100 answers, and 100 have one
		g.Train = append(g.Train, datasets.Triple{Head: 150, Relation: 0, Tail: tail})
	}
	d, s := completion.Data(g), kge.DefaultSettings()
	s.Dim, s.Batch, s.Reciprocal = 8, 200, true
	question := func() int64 { return testedMemory(d, s, kge.Member{Form: form.Block(1)}).question }
	one := question()
	s.Loss = kge.BCE
	if got, want := question()-one, int64(5*8); got != want { // a mean of 2
		t.Errorf("all answers need %d more numbers, want %d", got, want)
	}
}

// TestMemoryOfEncoders checks that the numbers of an encoder grow with the terms of its messages, and
// where a backend stores the messages.
func TestMemoryOfEncoders(t *testing.T) {
	d, s, _, _ := distances(1)
	layers := func(n, terms int) int64 { return int64(s.Dim * (n*len(d.Entities)*(8+6*terms) + d.Count)) }
	for _, c := range []struct {
		what      string
		structure string
		kge.Encoding
		want int64
	}{
		{"none", "1", kge.Encoding{}, 0},
		{"sub", "1", kge.Encoding{Encoder: kge.CompGCNSub}, layers(1, 1)},
		{"mult, two layers", "1", kge.Encoding{Encoder: kge.CompGCNMult, EncoderLayers: 2}, layers(2, 1)},
		{"corr", "1", kge.Encoding{Encoder: kge.CompGCNCorr}, layers(1, 2)},
		{"diagonal", "1,0;0,2", kge.Encoding{Encoder: kge.BLM}, layers(1, 1)},
		{"two products in a row", "1,2;0,1", kge.Encoding{Encoder: kge.BLM}, layers(1, 2)},
		{"bases", "1", kge.Encoding{Encoder: kge.RGCN, EncoderBases: 4}, layers(1, 4)},
	} {
		s.Encoding = c.Encoding
		m := kge.Member{Structure: structure.MustParse(c.structure)}
		if got := encoderNumbers(limited{}, d, s, m); got != c.want {
			t.Errorf("%s: %d numbers, want %d", c.what, got, c.want)
		}
		stored := encoderNumbers(storing{}, d, s, m) - c.want
		if want := int64(5 * s.Dim * d.Count); s.Encoder != kge.NoEncoder && stored != want {
			t.Errorf("%s: stored messages have %d numbers, want %d", c.what, stored, want)
		}
	}
}

// storing is a compiler for a backend that stores what it sums.
type storing struct{ limited }

func (storing) Fuses() bool { return false }

// TestPartsOfBlocks checks that parts have whole blocks of questions that share negatives.
func TestPartsOfBlocks(t *testing.T) {
	d, s, members, _ := distances(1)
	s.Negatives, s.Batch = 4, d.Count
	whole := testedMemory(d, s, members[0])
	for _, share := range []int64{1, 2, 3, 5, 100} {
		m := whole
		m.limit = m.state + m.step + int64(m.questions)*m.question/share
		room := m.room()
		if room%questionsPerBlock != 0 || (room >= m.questions) != (share == 1) {
			t.Errorf("1/%d of the memory of %d questions has parts of %d", share, m.questions, room)
		}
	}
}
