package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// Open opens the backend with a name. [Choose] resolves "auto". The caller must finalize
// the backend.
func Open(backend string) (compute.Backend, error) {
	n, err := parse(backend)
	if err != nil {
		return nil, err
	}
	opened, err := open(n)
	if err != nil {
		return nil, fmt.Errorf("open the backend %q: %w", backend, err)
	}
	return opened, nil
}

func open(n name) (compute.Backend, error) {
	if !n.xla {
		// Operations that run at once wait for each other's workers, sometimes for ever. One by one
		// they still use all workers.
		return gobackend.New("ops_sequential," + n.options)
	}
	plugin, problem := here().find(context.Background(), n.plugin)
	if problem != nil {
		return nil, problem
	}
	opened, err := openXLA(plugin, n.options, n.devices.Count)
	if err != nil {
		return nil, err
	}
	if present := int(opened.NumDevices()); present < n.devices.Count {
		opened.Finalize()
		return nil, tooFewDevices(present, n.devices.Count)
	}
	return opened, nil
}

// tooFewDevices returns the error for a backend with fewer devices than asked for.
func tooFewDevices(present, wanted int) error {
	if present == 0 {
		return errors.New("it has no devices; use another backend")
	}
	return fmt.Errorf("devices=%d, but it has only %s; use at most devices=%d",
		wanted, format.Count(present, "device"), present)
}
