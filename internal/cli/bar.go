package cli

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/schollz/progressbar/v3"
)

// Bar shows on a terminal how far something is, and leaves nothing behind. A log is not
// helped by a thousand bars: it gets a line soon, and then one that tells something new, now
// and then.
type Bar struct {
	bar  *progressbar.ProgressBar
	what string // is done, as "training"
	done chan struct{}

	one    sync.Mutex // for what follows
	log    io.Writer  // nil on a terminal, and where nothing is to be logged
	every  time.Duration
	due    time.Duration // until the next line in the log, if nothing is new
	logged time.Time
	line   string
	places int       // that were told it was at, up to the one that the pace is taken from
	begun  time.Time // when it was there
	from   int64
	at     int64
	total  int64
	end    time.Time // of all, where it has one
}

const (
	// soon is when a log gets its first line, and seldom and hardly how much time lies
	// between the lines that follow, at first and in the end.
	soon, seldom, hardly = 5 * time.Second, 30 * time.Second, 5 * time.Minute
)

// NewBar is a bar for what is done, to a total, -1 where that is not known. Lines for a log
// that tell something new lie so much time apart.
func NewBar(w io.Writer, what string, total int64, every time.Duration, options ...progressbar.Option) *Bar {
	b := &Bar{what: what, every: every, due: soon, logged: time.Now(), total: total, done: make(chan struct{})}
	if !isTerminal(w) {
		b.log, w = w, io.Discard
	}
	b.bar = progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetWidth(28),
		progressbar.OptionSetPredictTime(false), // what went on from somewhere would be too fast
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
	}, options...)...)
	go b.tick()
	return b
}

// tick keeps the clock of a bar going, and a log from being silent.
func (b *Bar) tick() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-ticker.C:
		}
		b.refresh()
	}
}

func (b *Bar) refresh() {
	b.one.Lock()
	defer b.one.Unlock()
	switch {
	case b.bar.IsFinished():
	case b.log == nil:
		b.bar.Describe(cmp.Or(b.line, b.what) + b.ending())
		_ = b.bar.RenderBlank()
	case time.Since(b.logged) >= b.due:
		b.write()
	}
}

// write writes the line to the log.
func (b *Bar) write() {
	b.logged, b.due = time.Now(), min(max(seldom, 2*b.due), hardly)
	line := b.what
	if b.line != "" {
		line += ": " + b.line
	}
	fmt.Fprintln(b.log, line+b.ending())
}

// ending says how much time is left, where that is known.
func (b *Bar) ending() string {
	left, known := b.left()
	if !known {
		return ""
	}
	return ", about " + format.Duration(left) + " left"
}

// Say describes what is being done.
func (b *Bar) Describe(line string) {
	b.one.Lock()
	defer b.one.Unlock()
	if line = format.Escape(line); line == b.line {
		return
	}
	b.line = line
	b.bar.Describe(line + b.ending())
	if b.log != nil && time.Since(b.logged) >= b.every {
		b.write()
	}
}

// Set says how far it is, and to which total if that is known only now.
func (b *Bar) Set(done, total int64) {
	b.one.Lock()
	defer b.one.Unlock()
	if b.places == 0 || b.places == 1 && done != b.at {
		// The first may be of before what it goes on with was read.
		b.places, b.begun, b.from = b.places+1, time.Now(), done
	}
	b.at = done
	if total > 0 && b.bar.GetMax64() != total {
		b.bar.ChangeMax64(total)
		b.total = total
	}
	_ = b.bar.Set64(done)
}

// Left is how much time it is likely to take from now on, once that can be said.
func (b *Bar) Remaining() (left time.Duration, known bool) {
	b.one.Lock()
	defer b.one.Unlock()
	return b.left()
}

// Ends says when it is over at the latest.
func (b *Bar) SetDeadline(at time.Time) {
	b.one.Lock()
	defer b.one.Unlock()
	b.end = at
}

// left needs some time to tell.
func (b *Bar) left() (time.Duration, bool) {
	const enough = 4 * time.Second
	took := time.Since(b.begun)
	if b.places == 0 || took < enough || b.at <= b.from || b.total < b.at {
		return 0, false
	}
	left := time.Duration(float64(took) / float64(b.at-b.from) * float64(b.total-b.at))
	if !b.end.IsZero() {
		left = min(left, max(0, time.Until(b.end)))
	}
	return left, true
}

// Aside has something else written, on lines of its own.
func (b *Bar) PrintAbove(write func()) {
	b.one.Lock()
	defer b.one.Unlock()
	_ = b.bar.Clear()
	write()
}

// Finish takes the bar away, if there is one.
func (b *Bar) Finish() {
	if b != nil {
		close(b.done)
		b.one.Lock()
		defer b.one.Unlock()
		_ = b.bar.Finish()
	}
}
