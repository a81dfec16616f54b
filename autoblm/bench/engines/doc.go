// Command engines compares GoMLX with the native engine on the CPU. It times training steps,
// filtered ranking and epochs of classifiers in turns, on the native engine in float32, on GoMLX's
// own backend and on XLA. Compile times are separate.
//
//	go run ./autoblm/bench/engines --data DIR [--backends go,xla:cpu] [--repeat 3]
//		[--cases REGEXP] [--out result.json]
//
// DIR holds umls, wn18rr, fb15k-237, aifb and mutag; missing ones are skipped. The file of --out
// keeps its other cases. These commands made notebooks/results/engines-cpu.json and the table of
// engines in docs/results.md:
//
//	go run ./autoblm/bench/engines --data DIR --out notebooks/results/engines-cpu.json
//	go test ./notebooks/results -update
package main
