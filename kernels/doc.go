// Command kernels makes "AutoBLM (Go, CPU)" and "AutoBLM (Go, CUDA)" known to
// Jupyter, and runs notebooks on them without Jupyter.
//
//	go run ./kernels install                  once; needs a network
//	go run ./kernels doctor                   what is wrong, and how to mend it
//	go run ./kernels run notebooks/*.ipynb    executes notebooks, and fails when a cell does
//	go run ./kernels run --write notebooks/*.ipynb  puts the outputs into them
//	go run ./kernels check notebooks/*.ipynb  fails when outputs are of other code
//	go run ./kernels strip notebooks/*.ipynb  takes the outputs away
//	go run ./kernels uninstall
//
// With --backend xla:cpu, or the variable AUTOBLM_BACKEND, run executes cells on another
// backend than the kernel's own.
//
// Cells that run without anybody watching see the variable AUTOBLM_HEADLESS, and
// those that are to run in full size AUTOBLM_FULL.
//
// The folder env lists what cells may import beside the library, and tools pins
// the programs that the kernels consist of. To change a pin:
//
//	go get -modfile=kernels/tools/tools.mod -tool github.com/janpfeifer/gonb@v0.11.5
package main
