// Command bench times training steps, filtered ranking and epochs on real benchmarks. It can
// alternate with peers: programs that take a data folder and flags, and print JSON, such as
// pytorch/torch_blm.py (see peerFlags and output). It compares medians, because machines are noisy.
//
//	go run ./autoblm/bench --data DIR [--suite speed|engines|trainings|time-to-mrr|serve|cluster]
//		[--peer "NAME: COMMAND"] [--repeat 5] [--threads 2] [--out result.json]
//
// DIR holds the graphs; missing ones are skipped. A peer that fails is dropped, with its error.
// --fastest 2 times all peers once and the two fastest again. Several runs with different --cases
// share one file. go test ./notebooks/results -update shows the files in docs/results-log.md.
//
// The suite speed times the native engine in float32 and bfloat16. The next command made
// notebooks/results/bench-cpu.json with the peers of Debian (python3-torch, libopenblas0-pthread)
// and of PyPI. It takes about 20 minutes. The machine must be idle, because threads of PyTorch spin
// while they wait. The variables in keep make the peers reuse large blocks of memory, which is up
// to twice as fast.
//
//	keep="env MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000"
//	blas="OPENBLAS_CORETYPE=Cooperlake"
//	torch="$keep venv/bin/python autoblm/bench/pytorch/torch_blm.py"
//	go run ./autoblm/bench --data DIR --repeat 3 --fastest 2 \
//		--out notebooks/results/bench-cpu.json \
//		--peer "Debian: $keep $blas /usr/bin/python3 autoblm/bench/pytorch/torch_blm.py" \
//		--peer "float32: $torch" \
//		--step-peer "float32, compiled: $torch --compile" \
//		--step-peer "bfloat16: $torch --precision bfloat16" \
//		--step-peer "bfloat16, compiled: $torch --precision bfloat16 --compile"
//
// The suite engines compares GoMLX with the native engine in float32:
//
//	go run ./autoblm/bench --suite engines --data DIR --repeat 3 \
//		--out notebooks/results/engines-cpu.json
//
// The suite trainings compares whole trainings with peers and with the training loops of PyKEEN.
// All train the same models. Bench times some epochs of each program, and then trains for equal
// seconds. The first two commands create the Python environment:
//
//	python3 -m venv venv
//	venv/bin/pip install --requirement autoblm/bench/pykeen/requirements.txt
//	pykeen="$keep venv/bin/python autoblm/bench/pykeen/train.py"
//	go run ./autoblm/bench --suite trainings --data DIR --repeat 3 \
//		--out notebooks/results/peers-cpu.json \
//		--peer "PyTorch: $torch" --peer "PyKEEN, 1vsAll: $pykeen --loop 1vsall" \
//		--peer "PyKEEN, KvsAll: $pykeen --loop kvsall" \
//		--peer "PyKEEN, sLCWA: $pykeen --loop slcwa"
//
// The suite time-to-mrr measures when a training with the defaults of autoblm train has the
// validation MRR that a peer has after 3, 10 or 30 epochs. It counts the seconds of training: ours
// in whole epochs, without validations; those of a peer as epochs times the median of its epochs
// after the first.
// First tune the N3 weight of the PyTorch program on each graph by its validation MRR:
//
//	fast="$torch --precision bfloat16 --compile"
//	for n3 in 0.005 0.02 0.05 0.1; do
//		$fast DIR/wn18rr --dim 128 --epochs 10 --n3 $n3 --eval
//	done
//	go run ./autoblm/bench --suite time-to-mrr --data DIR --repeat 3 --patience 7200 \
//		--cases wn18rr --out notebooks/results/time-to-mrr-cpu.json \
//		--peer "PyTorch, N3 0.05: $fast --n3 0.05" --peer "PyKEEN, sLCWA: $pykeen --loop slcwa"
//
// The suite serve starts autoblm serve with a model of wn18rr (d 256), asks for 20 seconds as fast
// as possible, and then 1000 questions a second for --minutes:
//
//	go run ./autoblm/bench --suite serve --data DIR --minutes 10 --out serve.json
//
// The suite cluster searches with the real queue and simulated workers that sleep as long as recorded
// trials train, and compares two real workers of one thread with one process of two threads:
//
//	notebooks/results/cluster.sh
//
// With --backend, bench times GoMLX, in sizes for a GPU. It runs the Go benchmarks of this package,
// which also work alone:
//
//	AUTOBLM_DATA=DIR go test -run '^$' -bench . ./autoblm/bench [-backend xla:cuda]
//
// --plan prints the commands for measurements on a GPU, each of less than ten minutes, for programs
// that are built already. --smoke rehearses them without a GPU in the smallest shapes:
//
//	go run ./autoblm/bench --plan --data DIR --peer "PyTorch: python3 autoblm/bench/pytorch/torch_blm.py"
//	go run ./autoblm/bench --smoke
package main
