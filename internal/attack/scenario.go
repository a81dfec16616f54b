//go:build linux

package main

// scenario is a command that writes files.
type scenario struct {
	name      string
	arguments string
	outputs   []string // files and folders that it writes
	refusal   string   // in the error if the output exists; "": it may be repeated
}

const (
	// smallSearch makes trainings short.
	smallSearch = " --candidates 16 --round-size 4 --parents 4 --seed 3 --out out --json"
	// smallTraining saves checkpoints often, so that kills meet them.
	smallTraining = " --batch 16 --save-every 1ms --json"
)

var scenarios = []scenario{
	{name: "search", outputs: []string{"out"}, arguments: "search --recipe basic" +
		" --dataset small --dim 16 --epochs 4 --budget 18 --tune 3 --final 3" +
		" --final-dims 16,32 --final-epochs 4" + smallSearch},
	{name: "search-default", outputs: []string{"out"}, arguments: "search --dim 16 --epochs 9" +
		" --budget 12 --tune 4 --retrain-seeds 2 --retrain-dims 16,32 --retrain-epochs 4" +
		" --retrain-splits 1 --ensemble 6" + smallSearch},
	{name: "search-progressive", outputs: []string{"out"}, arguments: "search --recipe basic" +
		" --dataset small --algorithm autoblm --filter none --predictor one-hot --dim 16" +
		" --epochs 4 --budget 18" + smallSearch},
	{name: "search-query", outputs: []string{"out"}, arguments: "search --recipe basic" +
		" --task query --dataset q --hops 2 --with 1 --k 2 --dim 8 --epochs 3 --batch 16" +
		" --tune 2 --budget 14 --predictor none" + smallSearch},
	{name: "search-classify", outputs: []string{"out"}, arguments: "search --recipe basic" +
		" --task classify --dataset kinds --k 2 --dim 4 --layers 1 --epochs 8 --runs 1" +
		" --budget 14 --predictor none" + smallSearch},
	{name: "reproduce", outputs: []string{"out"}, arguments: "reproduce umls --stage final" +
		" --structure simple --dim 16 --epochs 60 --batch 32 --optimizer adam --lr 0.01" +
		" --validate-every 5 --seed 3 --save-every 1ms --out out --json"},
	{name: "reproduce-search", outputs: []string{"out"},
		arguments: "reproduce umls --stage search --budget 6 --out out --json"},
	{name: "train", outputs: []string{"out"}, arguments: "train --dataset small" +
		" --structure complex --dim 32 --epochs 60 --validate-every 5 --optimizer adam" +
		" --lr 0.01 --out out" + smallTraining},
	{name: "train-rotate", outputs: []string{"out", "record.json"}, arguments: "train" +
		" --dataset small --model rotate --dim 32 --epochs 60 --out out --record record.json" +
		smallTraining},
	{name: "train-members", outputs: []string{"out"}, arguments: "train --dataset small" +
		" --structure simple --dim 16 --epochs 20 --members 3 --keep-members --out out" +
		smallTraining},
	{name: "train-from", outputs: []string{"out"}, arguments: "train --from m --dataset small" +
		" --epochs 60 --validate-every 5 --out out" + smallTraining},
	{name: "ensemble", outputs: []string{"out"}, arguments: "ensemble m seeds/seed-1" +
		" seeds/seed-2 reverses --all --dataset small --out out --json"},
	{name: "query-train", outputs: []string{"out"}, arguments: "query train --dataset q" +
		" --structure complex --dim 16 --epochs 40 --validate-every 5 --out out" +
		smallTraining},
	{name: "classify-train", outputs: []string{"out"}, arguments: "classify train" +
		" --dataset kinds --structure complex --dim 16 --layers 1 --epochs 40 --runs 3" +
		" --save-every 1ms --out out --json"},
	{name: "ablate", outputs: []string{"out"}, arguments: "ablate filter --dataset small" +
		" --seeds 1 --budget 6 --dim 8 --epochs 2 --candidates 16 --round-size 4 --parents 4" +
		" --out out --json"},
	{name: "import", outputs: []string{"out"}, refusal: "already holds a data set",
		arguments: "dataset import triples.txt --out out --json"},
	{name: "sample", outputs: []string{"out"}, refusal: "already holds queries",
		arguments: "query sample --dataset small --hops 2,3 --count 200 --out out --json"},
	{name: "report", outputs: []string{"page.html", "page_files"},
		arguments: "report --study s.db --out page.html --json"},
	{name: "export", outputs: []string{"trials.csv"},
		arguments: "study export s.db --csv --out trials.csv"},
	{name: "model-export", outputs: []string{"out"}, refusal: "is there already",
		arguments: "model export --model m --format parquet --out out --json"},
	{name: "model-map", outputs: []string{"map.html"},
		arguments: "model map --model m --dataset small --out map.html --json"},
	{name: "best", outputs: []string{"out"}, arguments: "study best s.db --out out --json"},
}
