// Command kernels installs and checks the Jupyter kernels "AutoBLM (Go, CPU)"
// and "AutoBLM (Go, CUDA)".
//
//	go run ./kernels install   once; needs a network
//	go run ./kernels doctor    finds problems and suggests fixes
//
// The Python program execute.py executes notebooks with nbclient and fails when a
// cell fails. With --write it stores the outputs and a digest of the code, and with --check
// it fails when the outputs belong to other code.
// Cells see the environment variable AUTOBLM_HEADLESS, and with --full AUTOBLM_FULL.
//
// The folder env lists the packages that cells may import in addition to the library.
// The folder tools pins the programs of the kernels. To change a pin:
//
//	go get -modfile=kernels/tools/tools.mod -tool github.com/janpfeifer/gonb@v0.11.5
//
// To uninstall, remove the kernels from Jupyter and the folder that install prints:
//
//	jupyter kernelspec remove autoblm-cpu autoblm-cuda
//	rm -r ~/.local/share/autoblm/kernels
package main
