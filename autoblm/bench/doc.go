// Command bench times training steps, filtered ranking and epochs of paths on real
// benchmarks, in float32 and in bfloat16, in turns with peers: programs that take a data
// folder and print JSON, as a well-written PyTorch program for the same task may (its flags
// are in peer.go). Medians are compared, since machines are noisy.
//
//	go run ./autoblm/bench --data DIR --peer "NAME: COMMAND" [--peer "NAME: COMMAND"] [--repeat 5] [--threads 2] [--out result.json]
//
// DIR holds umls, wn18rr, fb15k-237 and query2box-fb15k-237; what is missing is left out. A
// peer that fails is dropped, with its error. --fastest 2 times all peers once and the two
// fastest again. Pieces, by --cases, go into one file.
//
// What notebooks/results/bench-cpu.json holds, with the peers of Debian (python3-torch,
// libopenblas0-pthread) and of PyPI, in 20 minutes by estimate; or in pieces, by --cases
// '^step', '^rank' and '^epoch' (12, 7 and 1). It means something only on a machine with nothing else
// to do: threads of PyTorch wait for each other by spinning. The peers keep large blocks of
// memory rather than give them back to the system after each product, which is up to twice
// as fast.
//
//	keep="env MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000"
//	go run ./autoblm/bench --data DIR --repeat 3 --fastest 2 --out notebooks/results/bench-cpu.json \
//		--peer "Debian: $keep OPENBLAS_CORETYPE=Cooperlake /usr/bin/python3 torch_blm.py" \
//		--peer "float32: $keep venv/bin/python torch_blm.py" \
//		--step-peer "float32, compiled: $keep venv/bin/python torch_blm.py --compile" \
//		--step-peer "bfloat16: $keep venv/bin/python torch_blm.py --precision bfloat16" \
//		--step-peer "bfloat16, compiled: $keep venv/bin/python torch_blm.py --precision bfloat16 --compile"
//	go test ./notebooks/results -update
//
// With --peers it is whole trainings that are compared: ours with PyKEEN's, by pykeen/train.py
// here, and with those of --peer. FOLDER gets a virtual environment of Python with exactly
// what pykeen/requirements.txt says, in which a peer of one's own may run, too. All train the
// same (training.go): some epochs, in turns, and then as many steps as fit into equal
// seconds by the median. Pieces, by --cases and by --who, go into one file:
//
//	go run ./autoblm/bench --data DIR --peers venv --repeat 3 --out notebooks/results/peers-cpu.json \
//		--peer "PyTorch: $keep venv/bin/python torch_blm.py"
//	go test ./notebooks/results -update
//
// With --backend it is GoMLX that is timed, in sizes for a GPU. What is timed are the Go
// benchmarks of this package, which need no peer:
//
//	AUTOBLM_DATA=DIR go test -run '^$' -bench . ./autoblm/bench [-backend xla:cuda] [-precision bfloat16]
//
// What is to be measured on a GPU are some commands of this program and of autoblm,
// each of less than ten minutes, for programs that were built before. The first line
// prints them; the second rehearses them without a GPU, in the smallest shapes:
//
//	go run ./autoblm/bench --plan --data DIR --peer "PyTorch: python3 torch_blm.py"
//	go run ./autoblm/bench --smoke
package main
