// Command engines times what GoMLX does on the CPU beside the native engine: training
// steps, filtered ranking and the epochs of classifiers, in turns, on the native engine in
// float32, on GoMLX's own backend and on XLA. What is compiled is timed apart.
//
//	go run ./autoblm/bench/engines --data DIR [--backends go,xla:cpu] [--repeat 3] [--cases REGEXP] [--out result.json]
//
// DIR holds umls, wn18rr, fb15k-237, aifb and mutag; what is missing is left out. Cases that
// the file of --out has and that are not measured stay in it. notebooks/results/engines-cpu.json
// was made by it, which the table of engines in docs/results.md is written from:
//
//	go run ./autoblm/bench/engines --data DIR --out notebooks/results/engines-cpu.json
//	go test ./notebooks/results -update
package main
