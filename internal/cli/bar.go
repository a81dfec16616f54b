package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/schollz/progressbar/v3"
)

// Bar shows progress on a terminal and disappears at the end. A log gets a line soon, and then
// lines with news from time to time.
type Bar struct {
	bar  *progressbar.ProgressBar
	what string // the activity, such as "training"
	done chan struct{}

	mu       sync.Mutex // guards the fields below
	log      io.Writer  // nil on a terminal
	width    int        // of the terminal
	every    time.Duration
	due      time.Duration // until the next line in the log without news
	logged   time.Time
	line     string
	updates  int       // up to the update that the pace starts from
	began    time.Time // of the pace
	from     int64     // position where the pace starts
	at       int64
	total    int64
	deadline time.Time // zero: none
}

const (
	// A log gets its first line after firstLine. The time to the next one grows from minInterval to
	// maxInterval.
	firstLine, minInterval, maxInterval = 5 * time.Second, 30 * time.Second, 5 * time.Minute

	barWidth = 16
)

// NewBar returns a bar for an activity with a total, or -1 if it is unknown. A log gets news at
// most once in the interval every.
func NewBar(
	w io.Writer, what string, total int64, every time.Duration, options ...progressbar.Option,
) *Bar {
	b := &Bar{
		what: what, every: every, due: firstLine, logged: time.Now(), total: total,
		done: make(chan struct{}), width: Width(w),
	}
	if !isTerminal(w) {
		b.log, w = w, io.Discard
	}
	b.bar = progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetPredictTime(false), // wrong after a resume
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
	}, options...)...)
	go b.tick()
	return b
}

// tick updates the time of a bar and the log every second.
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
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.bar.IsFinished():
	case b.log == nil:
		b.bar.Describe(b.description(cmp.Or(b.line, b.what)))
		_ = b.bar.RenderBlank()
	case time.Since(b.logged) >= b.due:
		b.write()
	}
}

// write writes a line to the log.
func (b *Bar) write() {
	b.logged, b.due = time.Now(), min(max(minInterval, 2*b.due), maxInterval)
	line := b.what
	if b.line != "" {
		line += ": " + b.line
	}
	fmt.Fprintln(b.log, line+b.remaining())
}

// Describe sets the description of the current work.
func (b *Bar) Describe(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if line = format.Escape(line); line == b.line {
		return
	}
	b.line = line
	b.bar.Describe(b.description(line))
	if b.log != nil && time.Since(b.logged) >= b.every {
		b.write()
	}
}

// Set sets the position, and the total if it is positive.
func (b *Bar) Set(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.updates == 0 || b.updates == 1 && done != b.at {
		// The first update may precede the reading of a checkpoint.
		b.updates, b.began, b.from = b.updates+1, time.Now(), done
	}
	b.at = done
	if total > 0 && b.bar.GetMax64() != total {
		b.bar.ChangeMax64(total)
		b.total = total
	}
	_ = b.bar.Set64(done)
}

// SetDeadline sets the latest end of the work.
func (b *Bar) SetDeadline(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deadline = at
}

// Deadline returns the latest end of the work, the zero time for none.
func (b *Bar) Deadline() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deadline
}

// description returns a line with the remaining time, without the parts that do not fit the
// terminal with the bar. Its caller holds the lock.
func (b *Bar) description(line string) string {
	const margin = 14 // for the percentage and the time
	room := b.width - barWidth - margin
	line, _, isCut := strings.Cut(format.Wrap(line+b.remaining(), room, 0), "\n")
	if at := strings.LastIndex(line, ","); isCut && at >= 0 {
		line = line[:at]
	}
	return line
}

// remaining returns the expected remaining time as text. It returns "" in the first seconds, and
// after the expected end. Its caller holds the lock.
func (b *Bar) remaining() string {
	const minElapsed = 4 * time.Second
	elapsed := time.Since(b.began)
	if b.updates == 0 || elapsed < minElapsed || b.at <= b.from || b.total <= b.at {
		return ""
	}
	perUnit := float64(elapsed) / float64(b.at-b.from)
	remaining := time.Duration(perUnit * float64(b.total-b.at))
	if !b.deadline.IsZero() {
		remaining = min(remaining, max(0, time.Until(b.deadline)))
	}
	return ", about " + format.Duration(remaining) + " left"
}

// Finish removes the bar. It does nothing for nil.
func (b *Bar) Finish() {
	if b != nil {
		close(b.done)
		b.mu.Lock()
		defer b.mu.Unlock()
		_ = b.bar.Finish()
	}
}
