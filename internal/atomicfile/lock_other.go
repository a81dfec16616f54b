//go:build !unix || aix || solaris

package atomicfile

import (
	"errors"
	"os"
)

// lock cannot lock folders on this system.
func lock(*os.File) error { return errors.ErrUnsupported }
