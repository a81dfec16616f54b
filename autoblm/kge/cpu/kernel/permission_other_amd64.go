//go:build amd64 && !linux

package kernel

import "errors"

func askForTiles() error { return errors.New("only Linux is known to") }
