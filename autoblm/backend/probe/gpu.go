package probe

import (
	"context"
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
)

// GPU describes an NVIDIA GPU.
type GPU struct {
	Name string `json:"name"`
	// Memory is the size in bytes, or 0 if unknown.
	Memory int64 `json:"memory"`
	// Driver is the version of NVIDIA's driver, or "" if unknown.
	Driver string `json:"driver"`
}

const visibleDevices = "CUDA_VISIBLE_DEVICES"

// NoGPU returns the problem that CUDA finds no GPU, or nil. It runs nvidia-smi only if the
// driver has no device files.
func (m Machine) NoGPU(ctx context.Context) *Problem {
	visible, set := m.Env(visibleDevices)
	if set && (visible == "" || strings.HasPrefix(visible, "-") || visible == "NoDevFiles") {
		return &Problem{visibleDevices + "=" + visible + " hides all GPUs", "unset it"}
	}
	if len(m.deviceFiles()) > 0 {
		return nil
	}
	// The Windows Subsystem for Linux has no device files.
	if listed, err := m.RunSMI(ctx, "-L"); err == nil && strings.Contains(string(listed), "GPU ") {
		return nil
	}
	return &Problem{"no NVIDIA GPU", "check that nvidia-smi lists one; containers need --gpus all"}
}

// GPUs returns the NVIDIA GPUs, including hidden ones, as nvidia-smi or the files of the
// driver describe them.
func (m Machine) GPUs(ctx context.Context) []GPU {
	listed, err := m.RunSMI(ctx,
		"--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
	if err == nil {
		if gpus := parseSMI(string(listed)); len(gpus) > 0 {
			return gpus
		}
	}
	driver := driverVersion.FindString(m.read("/proc/driver/nvidia/version"))
	var gpus []GPU
	for range m.deviceFiles() {
		gpus = append(gpus, GPU{Name: "NVIDIA GPU", Driver: driver})
	}
	return gpus
}

var (
	driverVersion = regexp.MustCompile(`\b\d{3,}\.\d+(\.\d+)?\b`)
	deviceFile    = regexp.MustCompile(`^nvidia\d+$`)
)

// deviceFiles returns the device files of the driver, one for each GPU.
func (m Machine) deviceFiles() []string {
	var files []string
	for _, entry := range m.list("/dev") {
		if deviceFile.MatchString(entry.Name()) {
			files = append(files, entry.Name())
		}
	}
	return files
}

// parseSMI parses lines such as "NVIDIA H200, 143771, 580.159.03". The second field is the
// memory in MiB, or [N/A].
func parseSMI(listed string) []GPU {
	reader := csv.NewReader(strings.NewReader(listed))
	reader.TrimLeadingSpace, reader.FieldsPerRecord = true, 3
	lines, err := reader.ReadAll()
	if err != nil {
		return nil
	}
	var gpus []GPU
	for _, line := range lines {
		mebibytes, _ := strconv.ParseInt(line[1], 10, 64)
		gpus = append(gpus, GPU{Name: line[0], Memory: mebibytes << 20, Driver: line[2]})
	}
	return gpus
}
