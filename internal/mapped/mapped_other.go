//go:build !linux

package mapped

import (
	"errors"
	"os"
)

func reserve(*os.File, int64) ([]byte, error) {
	return nil, errors.New("tables in files need Linux")
}

func release([]byte) {}
func load([]byte)    {}
func free([]byte)    {}
