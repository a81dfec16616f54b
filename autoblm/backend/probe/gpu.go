package probe

import (
	"context"
	"encoding/csv"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// GPU is an NVIDIA GPU.
type GPU struct {
	Name string `json:"name"`
	// Memory is its size in bytes, or 0 when nothing tells.
	Memory int64 `json:"memory"`
	// Driver is the version of NVIDIA's driver, or "".
	Driver string `json:"driver"`
}

const visibleDevices = "CUDA_VISIBLE_DEVICES"

// NoGPU says why CUDA would find no GPU here, or nil. It asks nvidia-smi only
// where the files of the driver do not tell.
func (m Machine) NoGPU(ctx context.Context) *Problem {
	if visible, set := m.Env(visibleDevices); set && (visible == "" || strings.HasPrefix(visible, "-") || visible == "NoDevFiles") {
		return &Problem{visibleDevices + "=" + visible + " hides all GPUs", "unset it"}
	}
	if len(m.deviceFiles()) > 0 {
		return nil
	}
	// Windows' Linux has no such files.
	if listed, err := m.AskGPUs(ctx, "-L"); err == nil && strings.Contains(string(listed), "GPU ") {
		return nil
	}
	return &Problem{"there is no NVIDIA GPU here", "see that nvidia-smi lists one; a container gets them by --gpus all"}
}

// GPUs are the NVIDIA GPUs here, hidden ones too, with as much as nvidia-smi or
// the files of the driver tell.
func (m Machine) GPUs(ctx context.Context) []GPU {
	if listed, err := m.AskGPUs(ctx, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"); err == nil {
		if gpus := parseSMI(string(listed)); len(gpus) > 0 {
			return gpus
		}
	}
	driver := driverVersion.FindString(m.read("/proc/driver/nvidia/version"))
	var gpus []GPU
	for _, entry := range m.list("/proc/driver/nvidia/gpus") {
		gpu := GPU{Name: "NVIDIA GPU", Driver: driver}
		for line := range strings.Lines(m.read(path.Join("/proc/driver/nvidia/gpus", entry.Name(), "information"))) {
			if model, ok := strings.CutPrefix(line, "Model:"); ok {
				gpu.Name = strings.TrimSpace(model)
			}
		}
		gpus = append(gpus, gpu)
	}
	if len(gpus) == 0 {
		for range m.deviceFiles() {
			gpus = append(gpus, GPU{Name: "NVIDIA GPU", Driver: driver})
		}
	}
	return gpus
}

var (
	driverVersion = regexp.MustCompile(`\b\d{3,}\.\d+(\.\d+)?\b`)
	deviceFile    = regexp.MustCompile(`^nvidia\d+$`)
)

// deviceFiles are the devices that the driver made, one for each GPU.
func (m Machine) deviceFiles() []string {
	var files []string
	for _, entry := range m.list("/dev") {
		if deviceFile.MatchString(entry.Name()) {
			files = append(files, entry.Name())
		}
	}
	return files
}

// MemoryUsed is how many bytes are in use on all GPUs, or 0 when nothing tells.
func (m Machine) MemoryUsed(ctx context.Context) (bytes int64) {
	listed, err := m.AskGPUs(ctx, "--query-gpu=memory.used", "--format=csv,noheader,nounits")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(listed)) {
		mebibytes, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		bytes += mebibytes << 20
	}
	return bytes
}

// parseSMI reads lines such as "NVIDIA H200, 143771, 580.159.03", whose middle is
// the memory in MiB, or [N/A].
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
