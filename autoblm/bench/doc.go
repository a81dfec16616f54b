// Command bench times training steps and filtered ranking on real benchmarks,
// and beside them a peer, where one is given: a program that takes a data
// folder and prints JSON, as a well-written PyTorch program for the same task
// may (its flags are in peer.go). Ours and the peer run in turns, and medians
// are compared, since machines are noisy.
//
//	go run ./autoblm/bench --data DIR [--peer "python3 torch_blm.py"] [--repeat 5] [--threads 2] [--out result.json]
//
// DIR holds umls, wn18rr and fb15k-237; what is missing is left out. That measures
// the native engine. With --backend it is GoMLX, in sizes for a GPU, and there is
// more to measure: what TF32 and bfloat16 cost in MRR (--cases 'precision-*'), and
// a whole search (--cases 'search-*'), which --study and --minutes cut into pieces.
//
// All that is to be measured on a GPU are a few commands, each of less than ten
// minutes, for a program that was built before, so that no Go is needed there.
// The first line prints them; the second rehearses them without a GPU, in the
// smallest shapes:
//
//	go run ./autoblm/bench --plan --data DIR --peer "python3 torch_blm.py"
//	go run ./autoblm/bench --smoke
package main
