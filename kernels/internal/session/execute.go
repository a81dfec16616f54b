package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/wire"
)

// grace is how long an interrupted cell may take to say its last words.
const grace = 2 * time.Second

// Execute executes a cell and returns how often the kernel has done so. Whatever
// the cell puts out goes to take, as messages of the output socket; those that
// come late do so during later calls. That the cell failed is no error here. When
// the context is done the cell is interrupted, and the error is the context's cause;
// the kernel is of no more use then.
func (k *Kernel) Execute(ctx context.Context, code string, take func(wire.Message)) (count int, err error) {
	id, err := k.send(k.shell, "execute_request", map[string]any{
		"code":             code,
		"silent":           false,
		"store_history":    true,
		"user_expressions": struct{}{},
		"allow_stdin":      false,
		"stop_on_error":    true,
	})
	if err != nil {
		return 0, err
	}
	k.takers[id] = take
	var interrupted error
	var enough <-chan time.Time
	done := ctx.Done()
	for replied, idle := false, false; !replied || !idle; {
		select {
		case m := <-k.says:
			if m.err != nil {
				return 0, k.failure(m.err)
			}
			k.deliver(m.Message)
			idle = idle || m.Parent.ID == id && isIdle(m.Message)
		case m := <-k.replies:
			if m.err != nil {
				return 0, k.failure(m.err)
			}
			if m.Parent.ID == id && m.Header.Type == "execute_reply" {
				var reply struct {
					Count int `json:"execution_count"`
				}
				if err := m.Decode(&reply); err != nil {
					return 0, err
				}
				count, replied = reply.Count, true
			}
		case <-k.ended:
			return 0, k.failure(errEnded)
		case <-done:
			interrupted, done = context.Cause(ctx), nil
			if err := k.interrupt(); err != nil {
				return 0, errors.Join(interrupted, err)
			}
			enough = time.After(grace)
		case <-enough:
			return 0, interrupted
		}
	}
	return count, interrupted
}

// Settle takes the outputs that are still to come, until none came for a while.
func (k *Kernel) Settle(ctx context.Context, while time.Duration) error {
	for {
		select {
		case m := <-k.says:
			if m.err != nil {
				return k.failure(m.err)
			}
			k.deliver(m.Message)
		case <-time.After(while):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (k *Kernel) deliver(m wire.Message) {
	if take := k.takers[m.Parent.ID]; take != nil {
		take(m)
	}
}

// failure is the error of a kernel that can no more be spoken with.
func (k *Kernel) failure(err error) error {
	select {
	case <-k.ended: // the sockets notice before this program does
		err = errEnded
	case <-time.After(200 * time.Millisecond):
	}
	return fmt.Errorf("the kernel %s failed: %w%s", k.spec.DisplayName, err, k.lastWords())
}

func isIdle(m wire.Message) bool {
	var status struct {
		State string `json:"execution_state"`
	}
	return m.Header.Type == "status" && m.Decode(&status) == nil && status.State == "idle"
}
