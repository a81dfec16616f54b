// Command engines compares GoMLX with the native engine on the CPU. It times training steps,
// filtered ranking and epochs of classifiers. It alternates between the native engine in float32,
// GoMLX's own backend and XLA, and reports compile times separately.
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
