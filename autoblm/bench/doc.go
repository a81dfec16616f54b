// Command bench times training steps and filtered ranking on real benchmarks in
// turns with a peer: a program that takes a data folder and prints JSON, as a
// well-written PyTorch program for the same task may (its flags are in run.go).
// Medians are compared, since machines are noisy.
//
//	go run ./autoblm/bench --data DIR --peer "python3 torch_blm.py" [--repeat 5] [--threads 2] [--out result.json]
//
// DIR holds umls, wn18rr and fb15k-237; what is missing is left out. That measures
// the native engine. With --backend it is GoMLX, in sizes for a GPU. What is timed are
// the Go benchmarks of this package, which need no peer:
//
//	AUTOBLM_DATA=DIR go test -run '^$' -bench . ./autoblm/bench [-backend xla:cuda]
//
// What is to be measured on a GPU are some commands of this program and of autoblm,
// each of less than ten minutes, for programs that were built before. The first line
// prints them; the second rehearses them without a GPU, in the smallest shapes:
//
//	go run ./autoblm/bench --plan --data DIR --peer "python3 torch_blm.py"
//	go run ./autoblm/bench --smoke
package main
