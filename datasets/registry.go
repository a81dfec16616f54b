package datasets

import "slices"

// Benchmark is a data set of the literature: what it should hold, where it is
// had and how it is recognised.
type Benchmark struct {
	Name string `json:"name"`
	// Entities and Relations are the numbers of distinct labels over the splits.
	Entities  int `json:"entities"`
	Relations int `json:"relations"`
	// Train, Valid and Test are the numbers of triples.
	Train int `json:"train"`
	Valid int `json:"valid"`
	Test  int `json:"test"`
	// Addresses are tried in this order. Each is an archive (.tar.gz, .tgz or
	// .zip) with the three splits.
	Addresses []string `json:"-"`
	// Licence is what the source says about the use of the data.
	Licence string `json:"licence"`
	// TrainSum, ValidSum and TestSum are the git blob ids of the splits as
	// unpacked text with LF line ends: the SHA-1 of "blob ", the size, a NUL
	// byte and the content, as `git hash-object FILE` prints it.
	TrainSum string `json:"-"`
	ValidSum string `json:"-"`
	TestSum  string `json:"-"`
}

// Listed is a graph that can be named.
type Listed struct {
	Benchmark
	// Folder is "" for a graph that is embedded, or not at hand.
	Folder string `json:"folder"`
	AtHand bool   `json:"at_hand"`
}

// List lists the embedded graph and the registry, and where they are.
func List() []Listed {
	world := World()
	list := []Listed{{Benchmark: Benchmark{
		Name: world.Name, Entities: len(world.Entities), Relations: len(world.Relations),
		Train: len(world.Train), Valid: len(world.Valid), Test: len(world.Test), Licence: "ODbL 1.0",
	}, AtHand: true}}
	for _, b := range Registry() {
		l := Listed{Benchmark: b}
		if folder, found := Locate(b.Name); found {
			l.Folder, l.AtHand = folder, true
		}
		list = append(list, l)
	}
	return list
}

const freebaseLicence = "unstated in the source (Freebase content was published under CC BY)"

const smallLicence = "unstated for the data (the repositories that carry it, ConvE and PyKEEN, are under MIT)"

var registry = []Benchmark{
	{
		Name:     "wn18",
		Entities: 40943, Relations: 18, Train: 141442, Valid: 5000, Test: 5000,
		Addresses: []string{
			"https://everest.hds.utc.fr/lib/exe/fetch.php?media=en:wordnet-mlj12.tar.gz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/wn18.tar.gz",
		},
		Licence:  "WordNet 3.0 licence",
		TrainSum: "3c06a7ca58e648e456cc1b50859fb2b9b942ed2d",
		ValidSum: "ee228d6f5f2bcab83a9a7b663bd46bf5c35ff6c0",
		TestSum:  "8e62de83bf9d6936822e28f7bc7be8431c18ec42",
	},
	{
		Name:     "fb15k",
		Entities: 14951, Relations: 1345, Train: 483142, Valid: 50000, Test: 59071,
		Addresses: []string{
			"https://everest.hds.utc.fr/lib/exe/fetch.php?media=en:fb15k.tgz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/fb15k.tar.gz",
			"https://graphs.telecom-paris.fr/data/torchkge/kgs/FB15k.zip",
		},
		Licence:  freebaseLicence,
		TrainSum: "de7b73e2a375b38236aa02bbcdca4c4b449b6e7d",
		ValidSum: "cd5fd1b91300972f45b84b1d933a1259814417ef",
		TestSum:  "4f8c953905abea1d4d212ebc839dbe6c3c68e0b8",
	},
	{
		Name:     "wn18rr",
		Entities: 40943, Relations: 11, Train: 86835, Valid: 3034, Test: 3134,
		Addresses: []string{
			"https://github.com/TimDettmers/ConvE/raw/master/WN18RR.tar.gz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/wnrr.tar.gz",
		},
		Licence:  "WordNet 3.0 licence (a subset of WN18)",
		TrainSum: "7c7d11ee21594d729ef90f20ecef3adf7573109d",
		ValidSum: "ca0bf43869c6b537b667b4f284c6074078bd0013",
		TestSum:  "fbd87d236e7183fc60c9320895a714d3f4716da0",
	},
	{
		Name:     "fb15k-237",
		Entities: 14541, Relations: 237, Train: 272115, Valid: 17535, Test: 20466,
		Addresses: []string{
			"https://download.microsoft.com/download/8/7/0/8700516A-AB3D-4850-B4BB-805C515AECE1/FB15K-237.2.zip",
			"https://github.com/TimDettmers/ConvE/raw/master/FB15k-237.tar.gz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/fb15k-237.tar.gz",
		},
		Licence:  freebaseLicence,
		TrainSum: "bf5b69e4e34bdc72d1a15e102fd7bc66c5683c39",
		ValidSum: "49f3b02859a2157b1ac75798694829639cbf3778",
		TestSum:  "4e7bb71d14f6238053e9233b498fb57c2a6ba323",
	},
	{
		Name:     "yago3-10",
		Entities: 123182, Relations: 37, Train: 1079040, Valid: 5000, Test: 5000,
		Addresses: []string{
			"https://github.com/TimDettmers/ConvE/raw/master/YAGO3-10.tar.gz",
		},
		Licence:  "CC BY",
		TrainSum: "1543056ff5af6d3bf841510129529e91e9a8627c",
		ValidSum: "c9fd7c76478e901e3fc09bed0fdf19a8a3020b56",
		TestSum:  "509c864adc123211e6372bc1a4833d05b9d1b8b3",
	},
	{
		Name:     "umls",
		Entities: 135, Relations: 46, Train: 5216, Valid: 652, Test: 661,
		Addresses: []string{"https://github.com/TimDettmers/ConvE/raw/master/umls.tar.gz"},
		Licence:   smallLicence,
		TrainSum:  "e18374ce247e459b388b74378c6f185248866585",
		ValidSum:  "34b12e146f2bac5dc5b96f8e6fdbf08e95088dcf",
		TestSum:   "821261fdf02fe642879e64b00572b3529a1c7147",
	},
	{
		Name:     "kinship",
		Entities: 104, Relations: 25, Train: 8544, Valid: 1068, Test: 1074,
		Addresses: []string{"https://github.com/TimDettmers/ConvE/raw/master/kinship.tar.gz"},
		Licence:   smallLicence,
		TrainSum:  "f4c26d1abb3e3f5aa98b18c29db021111674c745",
		ValidSum:  "d2e83b1d9dc323c61ad7ca36b24061d89d7a42e4",
		TestSum:   "5f1781e9df270c3d56f1952458b7b687b3baefc4",
	},
	{
		Name:     "nations",
		Entities: 14, Relations: 55, Train: 1592, Valid: 199, Test: 201,
		Addresses: []string{"https://github.com/TimDettmers/ConvE/raw/master/nations.tar.gz"},
		Licence:   smallLicence,
		TrainSum:  "0cc3159d8575b7cf104373822aaf7bb6dce69cfc",
		ValidSum:  "cff2dc60b1ca74596fbac326d20b8fd88a8e04e1",
		TestSum:   "2adc0ff73deeccc383928435cfc6c4e1ad93d27d",
	},
}

// Registry returns the benchmarks that [Open] and [Fetch] know by name.
func Registry() []Benchmark {
	all := slices.Clone(registry)
	for i := range all {
		all[i].Addresses = slices.Clone(all[i].Addresses)
	}
	return all
}

func benchmark(name string) (Benchmark, bool) {
	for _, b := range registry {
		if b.Name == name {
			return b, true
		}
	}
	return Benchmark{}, false
}

func benchmarkNames() []string {
	all := make([]string, len(registry))
	for i, b := range registry {
		all[i] = b.Name
	}
	return all
}
