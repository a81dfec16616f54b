package main

import "github.com/autoblm/autoblm-go/internal/settings/flags"

// person is a node of the benchmark aifb.
const person = "http://www.aifb.uni-karlsruhe.de/Personen/viewPersonOWL/id60instance"

// examples has examples of each command. They work on the embedded graph world, on a benchmark
// after dataset fetch, or on what the examples of train, search and query sample write.
var examples = flags.Examples{
	"": {
		"search --dataset world --minutes 5 --out mysearch",
		"predict --model mysearch --head Portugal --relation borders",
		"report --study mysearch",
	},
	"structure check": {"structure check complex", "structure check '1,0;0,2'"},
	"structure show":  {"structure show simple", "structure show '1,0,0,2;0,3,0,0;0,0,4,0;-2,0,0,1'"},
	"structure count": {"structure count", "structure count --k 3 --group paper"},
	"structure list":  {"structure list --k 2 --nonzeros 2", "structure list --nonzeros 4 --json"},
	"dataset list":    {"dataset list", "dataset list --json"},
	"dataset info":    {"dataset info world", "dataset info world --top 0"},
	"dataset fetch":   {"dataset fetch umls", "dataset fetch wn18rr"},
	"dataset import": {
		"dataset import facts.csv --out mygraph",
		"dataset import facts.nt.gz --out mygraph --valid 0.05 --test 0.05",
		"dataset import edges.csv --columns head=who,relation=what,tail=whom --by time --out mygraph",
	},
	"train": {
		"train --dataset world --minutes 2 --out mymodel",
		"train --dataset world --members 3 --keep-members --out seeds",
		"train --dataset world --from-ensemble myensemble --out student",
	},
	"eval": {
		"eval --model mymodel",
		"eval --model mymodel --split valid --by relation",
	},
	"predict": {
		"predict --model mymodel --head Portugal --relation borders",
		"predict --model mymodel --head Portugal --relation borders --top 3 --explain 3",
		"predict --model mymodel --all --top 20 --format csv",
	},
	"serve": {
		"serve --model mymodel",
		"serve --model world=mysearch --model mymodel --addr 127.0.0.1:0",
	},
	"ensemble": {
		"ensemble --dataset world seeds/seed-*",
		"ensemble --dataset world seeds/seed-* --all --out myensemble",
		"ensemble --dataset world seeds/seed-* --by relation",
	},
	"model export": {
		"model export --model mymodel --format word2vec --out vectors",
		"model export --model mymodel --format safetensors --out tensors",
	},
	"model import": {
		"model import mypykeen --from pykeen --out imported",
		"model import checkpoint_best.pt --from libkge --dataset data/wnrr --out imported",
	},
	"model neighbors": {
		"model neighbors Portugal --model mymodel",
		"model neighbors borders --relations --model mymodel --top 3",
	},
	"model map": {
		"model map --model mymodel",
		"model map --model mymodel --dataset world --out map.html",
	},
	"search": {
		"search --dataset world --minutes 5 --out mysearch",
		"search --dataset world --budget 16 --retrain-seeds 1",
		"search --dataset world --model rotate --budget 8",
	},
	"worker": {"worker", "worker --cluster nats://10.0.0.5:4222 --nkey worker.nk --tls-ca ca.pem"},
	"cluster serve": {
		"cluster serve --store queue",
		"cluster serve --store queue --addr 127.0.0.1:4333 --max-gb 100",
	},
	"cluster status": {"cluster status", "cluster status --json"},
	"cluster keys":   {"cluster keys --out keys", "cluster keys --out keys --json"},
	"recipe list":    {"recipe list", "recipe list --dataset umls"},
	"recipe show":    {"recipe show n3 wn18rr", "recipe show basic"},
	"reproduce": {
		"reproduce umls --minutes 10",
		"reproduce wn18rr --recipe n3 --stage final",
	},
	"query train": {
		"query train --dataset worldqueries --structure complex --out myqueries",
		"query train --dataset world --model q2b --hops 2 --with 1",
	},
	"query eval": {
		"query eval --model myqueries --dataset worldqueries",
		"query eval --model myqueries --dataset worldqueries --hops 3",
	},
	"query predict": {
		"query predict --model myqueries --anchor Portugal --path borders,borders",
		"query predict --model myqueries --anchor Peru --path located_in --top 3",
	},
	"query sample": {
		"query sample --dataset world --hops 2,3 --out worldqueries",
		"query sample --dataset world --hops 4 --count 100 --split test --out long",
	},
	"classify train": {
		"classify train --dataset aifb --structure simple --out myclasses",
		"classify train --dataset aifb --encoder rgcn --tune 8",
	},
	"classify eval": {
		"classify eval --model myclasses",
		"classify eval --model myclasses --split train",
	},
	"classify predict": {
		"classify predict --model myclasses --node " + person,
		"classify predict --model myclasses --nodes people.txt",
	},
	"ablate": {
		"ablate filter --dataset world --budget 16",
		"ablate transfer --dataset umls --to kinship,nations --seeds 1",
	},
	"study list": {"study list", "study list mysearch"},
	"study show": {"study show mysearch", "study show mysearch --json"},
	"study export": {
		"study export mysearch --json",
		"study export mysearch --csv --out trials.csv",
	},
	"study best": {"study best mysearch", "study best mysearch --out best"},
	"study resume": {
		"study resume mysearch",
		"study resume mysearch --budget 128 --minutes 10",
	},
	"report":          {"report --study mysearch", "report --study mysearch --out world.html"},
	"dashboard":       {"dashboard", "dashboard mysearch", "dashboard autoblm-out --addr 127.0.0.1:9000"},
	"backend list":    {"backend list", "backend list --json"},
	"backend install": {"backend install cpu", "backend install cuda"},
	"completion":      {"completion bash", "completion zsh"},
	"version":         {"version", "version --json"},
}
