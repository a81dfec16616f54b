// Package probe finds PJRT plugins, which are the shared libraries of XLA, and NVIDIA
// GPUs on a machine.
//
// It only reads files and runs nvidia-smi. It loads no plugin, so it works in programs
// built without XLA, explains why XLA cannot load a file, and survives files that would
// crash the program that loads them.
package probe
