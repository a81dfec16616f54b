// Command bench times training steps, filtered ranking and epochs of paths on real benchmarks, in
// float32 and bfloat16. It can alternate with peers: programs that take a data folder and
// print JSON, such as a PyTorch program for the same task (see peer.go for its flags). It compares
// medians, because machines are noisy.
//
//	go run ./autoblm/bench --data DIR --peer "NAME: COMMAND" [--peer "NAME: COMMAND"]
//		[--repeat 5] [--threads 2] [--out result.json]
//
// DIR holds umls, wn18rr, fb15k-237 and query2box-fb15k-237; missing ones are skipped. A peer that
// fails is dropped, with its error. --fastest 2 times all peers once and the two fastest again.
// Several runs with different --cases share one file.
//
// The next command made notebooks/results/bench-cpu.json with the peers of Debian (python3-torch,
// libopenblas0-pthread) and of PyPI. It takes about 20 minutes, or 12, 7 and 1 with --cases
// '^step', '^rank' and '^epoch'. The machine must be idle, because threads of PyTorch spin while
// they wait. The variables in keep make the peers reuse large blocks of memory, which is up to
// twice as fast.
//
//	keep="env MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000"
//	blas="OPENBLAS_CORETYPE=Cooperlake"
//	torch="$keep venv/bin/python torch_blm.py"
//	go run ./autoblm/bench --data DIR --repeat 3 --fastest 2 \
//		--out notebooks/results/bench-cpu.json \
//		--peer "Debian: $keep $blas /usr/bin/python3 torch_blm.py" \
//		--peer "float32: $torch" \
//		--step-peer "float32, compiled: $torch --compile" \
//		--step-peer "bfloat16: $torch --precision bfloat16" \
//		--step-peer "bfloat16, compiled: $torch --precision bfloat16 --compile"
//	go test ./notebooks/results -update
//
// With --peers, bench compares whole trainings with PyKEEN (pykeen/train.py) and with the peers of
// --peer. All train the same models (training.go). Bench times some epochs of each program, and
// then trains for equal seconds. Several runs with different --cases and --who share one file. The
// first two commands create the Python environment:
//
//	python3 -m venv venv
//	venv/bin/pip install --requirement autoblm/bench/pykeen/requirements.txt
//	go run ./autoblm/bench --data DIR --peers venv --repeat 3 \
//		--out notebooks/results/peers-cpu.json \
//		--peer "PyTorch: $torch"
//	go test ./notebooks/results -update
//
// With --backend, bench times GoMLX, in sizes for a GPU. It runs the Go benchmarks of this package,
// which also work alone:
//
//	AUTOBLM_DATA=DIR go test -run '^$' -bench . ./autoblm/bench [-backend xla:cuda]
//
// --plan prints the commands for measurements on a GPU, each of less than ten minutes, for programs
// that are built already. --smoke rehearses them without a GPU in the smallest shapes:
//
//	go run ./autoblm/bench --plan --data DIR --peer "PyTorch: python3 torch_blm.py"
//	go run ./autoblm/bench --smoke
package main
