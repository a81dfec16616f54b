//go:build linux

package main

// scenario is a command that writes something.
type scenario struct {
	name      string
	arguments string
	// made is where, below its folder.
	made []string
	// refusal is in its error where it finds that all is done.
	refusal string
}

// small searches train for a moment only.
const smallSearch = " --n 16 --p 4 --i 4 --seed 3 --json"

var scenarios = []scenario{
	{name: "search", made: []string{"out"}, arguments: "search --recipe basic --dataset small --dim 16 --epochs 4 --budget 18 --tune 3 --final 3 --final-dims 16,32 --final-epochs 4 --out out" + smallSearch},
	{name: "search-usual", made: []string{"out"}, arguments: "search --dim 16 --epochs 9 --budget 12 --tune 4 --again 2 --again-dims 16,32 --again-epochs 4 --splits 1 --ensemble 6 --out out" + smallSearch},
	{name: "search-progressive", made: []string{"out"}, arguments: "search --recipe basic --dataset small --algorithm autoblm --filter none --predictor one-hot --dim 16 --epochs 4 --budget 18 --out out" + smallSearch},
	{name: "search-query", made: []string{"out"}, arguments: "search --recipe basic --task query --dataset q --hops 2 --with 1 --k 2 --dim 8 --epochs 3 --batch 16 --tune 2 --budget 14 --predictor none --out out" + smallSearch},
	{name: "search-classify", made: []string{"out"}, arguments: "search --recipe basic --task classify --dataset kinds --k 2 --dim 4 --layers 1 --epochs 8 --runs 1 --budget 14 --predictor none --out out" + smallSearch},
	{name: "reproduce", made: []string{"out"}, arguments: "reproduce umls --stage final --structure simple --dim 16 --epochs 60 --batch 32 --optimizer adam --lr 0.01 --validate-every 5 --seed 3 --save-every 1ms --out out --json"},
	{name: "reproduce-search", made: []string{"out"}, arguments: "reproduce umls --stage search --budget 6 --out out --json"},
	{name: "train", made: []string{"out"}, arguments: "train --dataset small --structure complex --dim 32 --epochs 60 --batch 16 --validate-every 5 --optimizer adam --lr 0.01 --save-every 1ms --out out --json"},
	{name: "train-default", made: []string{"autoblm-out"}, arguments: "train --dataset small --structure simple --dim 32 --epochs 60 --batch 16 --members 2 --save-every 1ms --json"},
	{name: "train-other", made: []string{"out", "record.json"}, arguments: "train --dataset small --model rotate --dim 32 --epochs 60 --batch 16 --save-every 1ms --out out --record record.json --json"},
	{name: "train-members", made: []string{"out"}, arguments: "train --dataset small --structure simple --dim 16 --epochs 20 --batch 16 --members 3 --keep-members --save-every 1ms --out out --json"},
	{name: "ensemble", made: []string{"out"}, arguments: "ensemble m seeds/seed-1 seeds/seed-2 reverses --all --dataset small --out out --json"},
	{name: "ensemble-again", made: []string{"t"}, arguments: "ensemble m seeds/seed-1 seeds/seed-2 --folds 2 --size 2 --dataset small --out t --json"},
	{name: "query-train", made: []string{"out"}, arguments: "query train --dataset q --structure complex --dim 16 --epochs 40 --batch 16 --validate-every 5 --save-every 1ms --out out --json"},
	{name: "classify-train", made: []string{"out"}, arguments: "classify train --dataset kinds --structure complex --dim 16 --layers 1 --epochs 40 --runs 3 --save-every 1ms --out out --json"},
	{name: "ablate", made: []string{"out"}, arguments: "ablate filter --dataset small --seeds 1 --budget 6 --dim 8 --epochs 2 --n 16 --p 4 --i 4 --out out --json"},
	{name: "split", made: []string{"out"}, arguments: "dataset split triples.txt --out out --json", refusal: "already holds a data set"},
	{name: "sample", made: []string{"out"}, arguments: "query sample --dataset small --hops 2,3 --count 200 --out out --json", refusal: "already holds queries"},
	{name: "report", made: []string{"page.html", "page_files"}, arguments: "report --study s.db --out page.html --json"},
	{name: "export", made: []string{"trials.csv"}, arguments: "study export s.db --csv --out trials.csv"},
	{name: "best", made: []string{"out"}, arguments: "study best s.db --out out --json"},
}
