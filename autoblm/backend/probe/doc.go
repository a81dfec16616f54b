// Package probe looks at a machine for what XLA needs: PJRT plugins, which are
// shared libraries that XLA comes in, and NVIDIA GPUs.
//
// It only reads files and asks nvidia-smi. Nothing of XLA is loaded, so it works
// in programs built without XLA, tells why a file is no plugin that could be
// loaded, and survives one that would crash whoever loads it.
package probe
