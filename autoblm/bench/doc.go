// Command bench times training steps and filtered ranking on real benchmarks,
// and beside them a peer, where one is given: a program that takes a data
// folder and prints JSON, as a well-written PyTorch program for the same task
// may (its flags are in peer.go). Ours and the peer run in turns, and medians
// are compared, since machines are noisy.
//
//	go run ./autoblm/bench --data DIR [--peer "python3 torch_blm.py"] [--repeat 5] [--threads 2] [--out result.json]
//
// DIR holds umls, wn18rr and fb15k-237; what is missing is left out.
package main
