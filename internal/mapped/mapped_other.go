//go:build !linux

package mapped

import (
	"errors"
	"os"
)

var errNeedsLinux = errors.New("tables in files need Linux")

func reserve(*os.File, int64) ([]byte, error) { return nil, errNeedsLinux }
func mapFile(*os.File, int64) ([]byte, error) { return nil, errNeedsLinux }

func release([]byte) {}
func load([]byte)    {}
func free([]byte)    {}
