//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// workerVariable tells a process that it is to feed readers, and has a [feeding].
const workerVariable = "ATTACK_FEED"

// inputsAtOnce is how many inputs a process feeds, whose start takes some time too.
const inputsAtOnce = 2000

// feeding is what a process of its own does, so that nothing that a reader does ends the
// attack, and what it allocates can be counted.
type feeding struct {
	Seed   uint64 `json:"seed"`
	Number int    `json:"number"` // the case
	Base   string `json:"base"`
	Folder string `json:"folder"`
	From   int    `json:"from"` // the first input of the case
}

// notePath is where the process notes the input that it feeds.
func (f feeding) notePath() string { return filepath.Join(f.Folder, "input") }

// mostMemory is the address space of a process that feeds readers.
const mostMemory = 8 << 30

// slowest is how long a reader may take for an input of some kilobytes.
const slowest = 30 * time.Second

// feed gives mutated inputs to one of the readers.
func (h *harness) feed(ctx context.Context, number int) (fed int, err error) {
	own, err := os.Executable()
	if err != nil {
		return 0, err
	}
	for fed < inputsAtOnce {
		folder, err := os.MkdirTemp(h.work, "feed-")
		if err != nil {
			return fed, err
		}
		defer os.RemoveAll(folder)
		f := feeding{Seed: h.seed, Number: number, Base: h.base.folder, Folder: folder, From: fed}
		task, err := json.Marshal(f)
		if err != nil {
			return fed, err
		}
		command := exec.CommandContext(ctx, own)
		command.Env = append(os.Environ(), workerVariable+"="+string(task), "GOMAXPROCS=2", "GOTRACEBACK=single", "XDG_CACHE_HOME="+filepath.Join(folder, "cache"))
		var said bytes.Buffer
		command.Stderr = &said
		out, err := command.StdoutPipe()
		if err != nil {
			return fed, err
		}
		if err := command.Start(); err != nil {
			return fed, err
		}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var wrong fed1
			if err := json.Unmarshal(lines.Bytes(), &wrong); err != nil {
				return fed, fmt.Errorf("what feeds said %q", lines.Text())
			}
			if err := h.wrong(number, wrong); err != nil {
				return fed, err
			}
		}
		ended := command.Wait()
		if ctx.Err() != nil {
			return fed, ctx.Err()
		}
		if ended == nil {
			return inputsAtOnce, nil
		}
		// It died of an input; the next process goes on after that.
		note, err := os.ReadFile(f.notePath())
		if err != nil || len(note) < 8 {
			return fed, fmt.Errorf("what feeds ended: %w: %s", ended, &said)
		}
		input := int(binary.LittleEndian.Uint64(note))
		if err := h.wrong(number, fed1{input, targetOf(number).name, fmt.Sprintf("the process died (%v): %.3000s", ended, &said), filepath.Join(folder, "files")}); err != nil {
			return fed, err
		}
		fed = input + 1
	}
	return fed, nil
}

// fed1 is what was wrong with an input.
type fed1 struct {
	Input  int    `json:"input"`
	Reader string `json:"reader"`
	What   string `json:"what"`
	Folder string `json:"folder"` // with the input
}

func (h *harness) wrong(number int, w fed1) error {
	return h.kept.found(finding{part: "inputs", number: number, name: w.Reader, what: w.What, folder: w.Folder, log: []string{fmt.Sprintf("input %d of the case", w.Input)}})
}

func targetOf(number int) *target { return targets[number%len(targets)] }

// workerMain is a process that feeds.
func workerMain(task string) int {
	var f feeding
	if err := json.Unmarshal([]byte(task), &f); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: mostMemory, Max: mostMemory})
	debug.SetPanicOnFault(true)
	if err := f.run(targetOf(f.Number)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run feeds a reader, and prints what is wrong, a line each.
func (f feeding) run(t *target) error {
	note, err := os.Create(f.notePath())
	if err != nil {
		return err
	}
	files := filepath.Join(f.Folder, "files")
	if err := os.Mkdir(files, 0o755); err != nil {
		return err
	}
	p, err := t.prepare(f.Base, files)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	if err := p.put(); err != nil {
		return err
	}
	if err := p.read(files, ""); err != nil {
		return fmt.Errorf("%s: what was not mutated: %w", t.name, err)
	}
	out := json.NewEncoder(os.Stdout)
	allocated := newMeter()
	for input := f.From; input < inputsAtOnce; input++ {
		if _, err := note.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(input)), 0); err != nil {
			return err
		}
		h := harness{seed: f.Seed}
		rng := h.rng("inputs"+strconv.Itoa(f.Number), input)
		mutated, size, err := p.mutate(rng)
		if err != nil {
			return err
		}
		watch := time.AfterFunc(slowest, func() {
			fmt.Fprintf(os.Stderr, "it took more than %v\n", slowest)
			os.Exit(3)
		})
		before := allocated.now()
		what := p.try(files, mutated)
		took := allocated.now() - before
		watch.Stop()
		// Buffers for lines are of a megabyte, and a megabyte of zeros is a kilobyte of gzip.
		if most := uint64(64<<20 + 2000*size); what == "" && took > most {
			what = fmt.Sprintf("it allocated %d MB for an input of %d bytes", took>>20, size)
		}
		if what != "" {
			found := filepath.Join(f.Folder, "found-"+strconv.Itoa(input)) // before the next input takes its place
			if err := os.CopyFS(found, os.DirFS(files)); err != nil {
				return err
			}
			if err := out.Encode(fed1{input, t.name, what, found}); err != nil {
				return err
			}
		}
		if err := p.restore(mutated); err != nil {
			return err
		}
	}
	return nil
}

// meter tells how much was allocated.
type meter []metrics.Sample

func newMeter() meter { return meter{{Name: "/gc/heap/allocs:bytes"}} }

func (m meter) now() uint64 {
	metrics.Read(m)
	return m[0].Value.Uint64()
}

// try reads once, and says what is wrong.
func (p *prepared) try(folder, mutated string) (what string) {
	defer func() {
		if r := recover(); r != nil {
			what = fmt.Sprintf("a panic: %v: %s", r, debug.Stack())
		}
	}()
	err := p.read(folder, mutated)
	var inconsistent *inconsistentError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &inconsistent):
		return "what was accepted is not consistent: " + inconsistent.what
	case strings.Contains(err.Error(), "\n"):
		return fmt.Sprintf("the error has several lines: %q", err)
	case p.named && !strings.Contains(err.Error(), folder) && !strings.Contains(err.Error(), nameOf(mutated)):
		return fmt.Sprintf("the error does not name the file %s: %q", mutated, err)
	}
	return ""
}

// inconsistentError is of something that was read and should not have been.
type inconsistentError struct{ what string }

func (e *inconsistentError) Error() string { return e.what }

func inconsistent(format string, arguments ...any) error {
	return &inconsistentError{fmt.Sprintf(format, arguments...)}
}

// prepared is a reader with what it reads.
type prepared struct {
	folder string
	files  map[string][]byte // what is mutated; the rest lies in the folder already
	names  []string          // of the files
	// packed says how the bytes of a file come about from what is mutated now and then:
	// what is packed or has a checksum.
	packed map[string]packing
	// named says that errors name the file.
	named bool
	// read reads the folder, one file of which was mutated, and checks what it got.
	read func(folder, mutated string) error
}

// packing is a way from a content to a file.
type packing struct {
	content []byte
	pack    func(content []byte) []byte
}

func (p *prepared) put() error {
	for name, content := range p.files {
		if err := os.WriteFile(filepath.Join(p.folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mutate mutates one of the files.
func (p *prepared) mutate(rng *rand.Rand) (name string, size int, err error) {
	name = p.names[rng.IntN(len(p.names))]
	content := p.files[name]
	if inner, is := p.packed[name]; is && rng.IntN(2) == 0 {
		content = inner.pack(mutate(rng, inner.content))
	} else {
		content = mutate(rng, content)
	}
	return name, len(content), os.WriteFile(filepath.Join(p.folder, name), content, 0o644)
}

func (p *prepared) restore(name string) error {
	return os.WriteFile(filepath.Join(p.folder, name), p.files[name], 0o644)
}

// finite says whether all numbers are.
func finite(table []float32) bool {
	for _, x := range table {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// nameOf is what an error may call a file that was mutated: one that was packed as it is
// unpacked, one of a member with the member.
func nameOf(mutated string) string {
	return strings.ReplaceAll(strings.TrimSuffix(filepath.Base(mutated), ".gz"), within, "/")
}
