package kerneltest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/wire"
	"github.com/go-zeromq/zmq4"
)

// role is the variable that makes the test program a kernel.
const role = "AUTOBLM_TEST_KERNEL"

// Main is what the TestMain of a package calls that starts such kernels.
func Main(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Spec is the spec of the kernel.
func Spec() kernelspec.Spec {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return kernelspec.Spec{
		Argv:          []string{program, kernelspec.ConnectionFile},
		DisplayName:   "Test",
		Language:      "test",
		InterruptMode: kernelspec.InterruptByMessage,
		Env:           map[string]string{role: "1"},
	}
}

// kernel serves one client.
type kernel struct {
	key            []byte
	shell, control zmq4.Socket

	speaking sync.Mutex // guards the output socket
	output   zmq4.Socket

	interrupted chan struct{}
	count       int
	shown       map[string]bool // display ids
}

func serve(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var place struct {
		Address string `json:"ip"`
		Shell   int    `json:"shell_port"`
		Control int    `json:"control_port"`
		Output  int    `json:"iopub_port"`
		Key     string `json:"key"`
	}
	if err := json.Unmarshal(content, &place); err != nil {
		return err
	}
	ctx := context.Background()
	k := &kernel{
		key:         []byte(place.Key),
		shell:       zmq4.NewRouter(ctx),
		control:     zmq4.NewRouter(ctx),
		output:      zmq4.NewPub(ctx),
		interrupted: make(chan struct{}, 1),
		shown:       map[string]bool{},
	}
	for port, socket := range map[int]zmq4.Socket{place.Shell: k.shell, place.Control: k.control, place.Output: k.output} {
		if err := socket.Listen(fmt.Sprintf("ipc://%s-%d", place.Address, port)); err != nil {
			return err
		}
	}
	go k.answer(k.control)
	k.answer(k.shell)
	return nil
}

// answer deals with the requests that come to a socket.
func (k *kernel) answer(socket zmq4.Socket) {
	for {
		received, err := socket.Recv()
		if err != nil {
			return
		}
		request, err := wire.Parse(received.Frames, k.key)
		if err != nil {
			panic(err)
		}
		reply := func(kind string, content any) {
			k.send(socket, request.Header, kind, content, received.Frames[0])
		}
		switch request.Header.Type {
		case "kernel_info_request":
			k.say(request.Header, "status", map[string]string{"execution_state": "busy"})
			reply("kernel_info_reply", map[string]string{"status": "ok"})
		case "interrupt_request":
			select {
			case k.interrupted <- struct{}{}:
			default:
			}
			reply("interrupt_reply", map[string]string{"status": "ok"})
		case "execute_request":
			k.execute(request, reply)
		}
	}
}

func (k *kernel) execute(request wire.Message, reply func(kind string, content any)) {
	var cell struct{ Code string }
	if err := request.Decode(&cell); err != nil {
		panic(err)
	}
	k.count++
	status := "ok"
	for line := range strings.Lines(cell.Code) {
		command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !k.obey(request.Header, command, rest) {
			status = "error"
			break
		}
	}
	reply("execute_reply", map[string]any{"status": status, "execution_count": k.count})
	k.say(request.Header, "status", map[string]string{"execution_state": "idle"})
}

// say publishes an output.
func (k *kernel) say(parent wire.Header, kind string, content any) {
	k.speaking.Lock()
	defer k.speaking.Unlock()
	k.send(k.output, parent, kind, content, nil)
}

func (k *kernel) send(socket zmq4.Socket, parent wire.Header, kind string, content any, route []byte) {
	m, err := wire.New("kernel", kind, content)
	if err != nil {
		panic(err)
	}
	m.Parent = parent
	frames, err := m.Frames(k.key)
	if err != nil {
		panic(err)
	}
	if route != nil {
		frames = append([][]byte{route}, frames...)
	}
	socket.SendMulti(zmq4.NewMsgFrom(frames...))
}
