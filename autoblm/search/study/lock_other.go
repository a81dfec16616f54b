//go:build !unix || aix || solaris || illumos

package study

// lockHolder returns 0: this system does not report the holder.
func lockHolder(string) int { return 0 }
