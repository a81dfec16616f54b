package backend

import (
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/dustin/go-humanize"
)

// Devices tells what the backend runs on, as "NVIDIA H200, 140 GiB, driver 550.54".
func (b Backend) Devices() string {
	if !probe.IsCUDA(b.Name) {
		return "the processor"
	}
	if len(b.GPUs) == 0 {
		return "no GPU"
	}
	var gpus []string
	for _, gpu := range b.GPUs {
		text := gpu.Name
		if gpu.Memory > 0 {
			text += ", " + humanize.IBytes(uint64(gpu.Memory))
		}
		if gpu.Driver != "" {
			text += ", driver " + gpu.Driver
		}
		gpus = append(gpus, text)
	}
	return strings.Join(gpus, "; ")
}

// PluginIs tells which plugin it is.
func (b Backend) PluginIs() string {
	switch {
	case b.Name == Go:
		return "needs none"
	case b.Plugin == "":
		return "none"
	case "xla:"+b.Plugin == b.Name:
		return "by its path"
	}
	return b.Plugin
}

// Versions tells those of the plugin and of its interface, as far as they are known.
func (b Backend) Versions() string {
	var parts []string
	if b.Version != "" {
		parts = append(parts, b.Version)
	}
	if b.PJRT != "" {
		parts = append(parts, "PJRT "+b.PJRT)
	}
	return strings.Join(parts, ", ")
}
