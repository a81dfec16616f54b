package main

import (
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/schollz/progressbar/v3"
)

// newBar is a progress bar that leaves nothing behind; where w is no terminal
// it stays silent, since a log is not helped by a thousand bars.
func newBar(w io.Writer, total int64, options ...progressbar.Option) *progressbar.ProgressBar {
	if !isTerminal(w) {
		w = io.Discard
	}
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetWidth(28),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
	}, options...)...)
}

// downloadBar shows the bytes of a download.
type downloadBar struct{ bar *progressbar.ProgressBar }

func newDownloadBar(w io.Writer, what string) *downloadBar {
	return &downloadBar{newBar(w, -1, progressbar.OptionSetDescription(what), progressbar.OptionShowBytes(true))}
}

func (b *downloadBar) update(done, total int64) {
	if total > 0 && b.bar.GetMax64() != total {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(done)
}

func (b *downloadBar) finish() { _ = b.bar.Finish() }

// trainingBar shows the epochs of a training; a log, which has no bar, is told of one now
// and then.
type trainingBar struct {
	bar    *progressbar.ProgressBar
	log    io.Writer // nil on a terminal
	logged time.Time
}

const logEvery = 30 * time.Second

func newTrainingBar(w io.Writer, epochs int) *trainingBar {
	b := &trainingBar{bar: newBar(w, int64(epochs), progressbar.OptionSetDescription("training")), logged: time.Now()}
	if !isTerminal(w) {
		b.log = w
	}
	return b
}

func (b *trainingBar) update(p kge.Progress) {
	b.bar.Describe(fmt.Sprintf("training, loss %.3f", p.Loss[0]))
	_ = b.bar.Set(p.Epoch)
	if b.log != nil && time.Since(b.logged) >= logEvery {
		b.logged = time.Now()
		fmt.Fprintf(b.log, "training: epoch %d of %d, loss %.3f\n", p.Epoch, p.Epochs, p.Loss[0])
	}
}

func (b *trainingBar) finish() { _ = b.bar.Finish() }

// searchBar shows the structures trained, the best MRR or accuracy so far and the
// time left; in a log it is a line for each round.
type searchBar struct {
	log  io.Writer // nil on a terminal
	bar  *progressbar.ProgressBar
	line string
}

const searchBarUnits = 1000

func newSearchBar(w io.Writer) *searchBar {
	b := &searchBar{bar: newBar(w, searchBarUnits)}
	if !isTerminal(w) {
		b.log = w
	}
	return b
}

func (b *searchBar) update(p search.Progress) { b.about("", p) }

// about names what is being done before saying how far it is.
func (b *searchBar) about(what string, p search.Progress) {
	line := fmt.Sprintf("%d of %d structures", p.Trained, p.Budget)
	switch {
	case p.Budget == 0:
		line = fmt.Sprintf("%d %%", int(p.Share*10)*10) // a log is not helped by a hundred lines
	case p.Named:
		line = "the named models"
	case p.Stage != task.Searching:
		line = fmt.Sprintf("%s, %d of %d recipes", p.Stage, p.Trained, p.Budget)
	}
	if p.Best != nil {
		line += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	if what != "" {
		line = what + ": " + line
	}
	if line != b.line {
		b.line = line
		b.bar.Describe(line)
		if b.log != nil {
			fmt.Fprintf(b.log, "training: %s\n", line)
		}
	}
	_ = b.bar.Set(int(p.Share * searchBarUnits))
}

func (b *searchBar) finish() { _ = b.bar.Finish() }
