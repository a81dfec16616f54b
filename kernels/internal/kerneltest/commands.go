package kerneltest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/wire"
)

// obey obeys one line of a cell and says whether the cell goes on:
//
//	print TEXT       TEXT on standard output
//	complain TEXT    TEXT on standard error
//	show ID TEXT     a display; one whose ID is known is updated
//	late TEXT        a display that comes after the cell is done
//	result TEXT      the result of the cell
//	fail TEXT        an error
//	flood N          N bytes on standard output, a kilobyte a message
//	variable NAME    the value of an environment variable
//	folder           the working folder
//	temporary NAME   makes a file in the folder for temporary files and prints its path
//	spawn            starts a process that would outlive everything, and prints its number
//	hang             waits for an interrupt
//	ignore           waits, whatever happens
//	die              ends the kernel
func (k *kernel) obey(cell wire.Header, command, rest string) bool {
	stream := func(name, text string) {
		k.say(cell, "stream", map[string]string{"name": name, "text": text})
	}
	fail := func(text string) bool {
		k.say(cell, "error", map[string]any{"ename": "ERROR", "evalue": text, "traceback": []string{"\x1b[31m" + text + "\x1b[0m"}})
		return false
	}
	switch command {
	case "":
	case "print":
		stream("stdout", rest+"\n")
	case "complain":
		stream("stderr", rest+"\n")
	case "show":
		id, text, _ := strings.Cut(rest, " ")
		kind := "display_data"
		if k.shown[id] {
			kind = "update_display_data"
		}
		k.shown[id] = true
		k.say(cell, kind, display(text, id))
	case "late":
		time.AfterFunc(30*time.Millisecond, func() { k.say(cell, "display_data", display(rest, "")) })
	case "result":
		content := display(rest, "")
		content["execution_count"] = k.count
		k.say(cell, "execute_result", content)
	case "fail":
		return fail(rest)
	case "flood":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return fail(err.Error())
		}
		for ; n > 0; n -= 1024 {
			stream("stdout", strings.Repeat("x", min(n, 1024)))
		}
	case "variable":
		stream("stdout", os.Getenv(rest)+"\n")
	case "folder":
		dir, _ := os.Getwd()
		stream("stdout", dir+"\n")
	case "temporary":
		f, err := os.CreateTemp("", rest)
		if err != nil {
			return fail(err.Error())
		}
		f.Close()
		stream("stdout", f.Name()+"\n")
	case "spawn":
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return fail(err.Error())
		}
		stream("stdout", fmt.Sprintln(child.Process.Pid))
	case "hang":
		<-k.interrupted
		return fail("interrupted")
	case "ignore":
		select {}
	case "die":
		fmt.Fprintln(os.Stderr, "a reason to die")
		os.Exit(7)
	default:
		return fail("unknown command " + command)
	}
	return true
}

func display(text, id string) map[string]any {
	return map[string]any{
		"data":      map[string]string{"text/plain": text},
		"metadata":  map[string]any{},
		"transient": map[string]string{"display_id": id},
	}
}
