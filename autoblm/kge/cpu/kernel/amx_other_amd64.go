//go:build amd64 && !linux

package kernel

import "errors"

func requestAMX() error { return errors.New("supported on Linux only") }
