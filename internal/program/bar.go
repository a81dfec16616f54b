package program

import (
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/internal/words"
	"github.com/schollz/progressbar/v3"
)

// Bar shows on a terminal how far something is, and leaves nothing behind. A log is not
// helped by a thousand bars: it gets a line that tells something new, now and then.
type Bar struct {
	bar    *progressbar.ProgressBar
	log    io.Writer // nil on a terminal, and where nothing is to be logged
	every  time.Duration
	logged time.Time
	line   string
}

// NewBar is a bar to a total, -1 where that is not known, with lines for a log after so much
// time each.
func NewBar(w io.Writer, total int64, every time.Duration, options ...progressbar.Option) *Bar {
	b := &Bar{every: every, logged: time.Now()}
	if !isTerminal(w) {
		b.log, w = w, io.Discard
	}
	b.bar = progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetWidth(28),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
	}, options...)...)
	return b
}

// Say describes what is being done.
func (b *Bar) Say(line string) {
	if line = words.Printable(line); line == b.line {
		return
	}
	b.line = line
	b.bar.Describe(line)
	if b.log != nil && time.Since(b.logged) >= b.every {
		b.logged = time.Now()
		fmt.Fprintf(b.log, "training: %s\n", line)
	}
}

// Set says how far it is, and to which total if that is known only now.
func (b *Bar) Set(done, total int64) {
	if total > 0 && b.bar.GetMax64() != total {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done)
}

// Finish takes the bar away, if there is one.
func (b *Bar) Finish() {
	if b != nil {
		_ = b.bar.Finish()
	}
}
