//go:build cgo && !noxla && linux && amd64

package backend

import "github.com/gomlx/go-xla/installer"

// fetches are the downloads that there are for this system.
var fetches = map[string]func(folder string) error{
	"cpu":    fetchCPU,
	"cuda12": func(folder string) error { return fetchCUDA("cuda12", folder) },
	"cuda13": func(folder string) error { return fetchCUDA("cuda13", folder) },
}

// fetchCUDA downloads Jax's plugin and NVIDIA's libraries. go-xla was tested with no
// version above others, so it is the latest. That is asked for first, because go-xla
// removes what was installed before it sees whether there is a network.
func fetchCUDA(cuda, folder string) error {
	info, _, err := installer.CudaGetPJRTPipInfo(cuda)
	if err != nil {
		return err
	}
	return installer.CudaInstall(cuda, info.Info.Version, folder, true, installer.Quiet)
}
