package datasets

import "slices"

// Benchmark is a data set of the literature: its sizes, download addresses and digests.
type Benchmark struct {
	Name string `json:"name"`
	// Entities and Relations count the distinct labels of all splits.
	Entities  int `json:"entities"`
	Relations int `json:"relations"`
	// Train, Valid and Test are the numbers of triples.
	Train int `json:"train"`
	Valid int `json:"valid"`
	Test  int `json:"test"`
	// Addresses are tried in this order. Each is an archive (.tar.gz, .tgz or
	// .zip) with the three splits.
	Addresses []string `json:"-"`
	// Licence is the licence that the source states.
	Licence string `json:"licence"`
	// Sums has the SHA-256 digests of train, valid and test as unpacked text with LF line
	// ends, as `sha256sum FILE` prints them; or, with 40 digits, their git blob ids, as
	// `git hash-object FILE` prints them, where only these are known.
	Sums [3]string `json:"-"`
}

// Listing is a graph that [Open] knows by name.
type Listing struct {
	Benchmark
	// Folder has the files; "" for the embedded graph and for one that is not available.
	Folder string `json:"folder"`
	// Available is true if Open can read it without a download.
	Available bool `json:"available"`
}

// List returns the embedded graph and the registry, with their folders.
func List() []Listing {
	world := World()
	list := []Listing{{Benchmark: Benchmark{
		Name: world.Name, Entities: len(world.Entities), Relations: len(world.Relations),
		Train: len(world.Train), Valid: len(world.Valid), Test: len(world.Test), Licence: "ODbL 1.0",
	}, Available: true}}
	for _, b := range Registry() {
		folder, found := Locate(b.Name)
		list = append(list, Listing{b, folder, found})
	}
	return list
}

const freebaseLicence = "unstated in the source (Freebase content was published under CC BY)"

const smallLicence = "unstated for the data " +
	"(the repositories that carry it, ConvE and PyKEEN, are under MIT)"

var registry = []Benchmark{
	{
		Name:     "wn18",
		Entities: 40943, Relations: 18, Train: 141442, Valid: 5000, Test: 5000,
		Addresses: []string{
			"https://everest.hds.utc.fr/lib/exe/fetch.php?media=en:wordnet-mlj12.tar.gz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/wn18.tar.gz",
		},
		Licence: "WordNet 3.0 licence",
		Sums: [3]string{"24c9b02dc57d3ae8ca8467ce355995edee7be8eddc3bd070ee34d3c6fc3c95eb",
			"13347bfb5e17d1cae003e0bfe29b4716d3ab748e8cfb6af997138d37da3a51dc",
			"d22c19d176d4ba6a6f0d0c6bfce39ab3c16e3b20e1df6f9efe0d9ed86542fa10"},
	},
	{
		Name:     "fb15k",
		Entities: 14951, Relations: 1345, Train: 483142, Valid: 50000, Test: 59071,
		Addresses: []string{
			"https://everest.hds.utc.fr/lib/exe/fetch.php?media=en:fb15k.tgz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/fb15k.tar.gz",
			"https://graphs.telecom-paris.fr/data/torchkge/kgs/FB15k.zip",
		},
		Licence: freebaseLicence,
		Sums: [3]string{"f9cdfd2685f6483bd3a499d433919b15d62f0715c6cf18b2ca30c2aa5c47a704",
			"471929cde9cf74b1caa8348c2b601c8010d6b2f2a56bae49b4ebfd14c9bce855",
			"5b60b4de325482c3368e22d0b7452d465b09a610fea0ce3768d8b1e8b5a7e42a"},
	},
	{
		Name:     "wn18rr",
		Entities: 40943, Relations: 11, Train: 86835, Valid: 3034, Test: 3134,
		Addresses: []string{
			"https://github.com/TimDettmers/ConvE/raw/master/WN18RR.tar.gz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/wnrr.tar.gz",
		},
		Licence: "WordNet 3.0 licence (a subset of WN18)",
		Sums: [3]string{"038612e783c215ee5f3ca9fbfca27b8d0739be1028fe4ee7c174aecf0b83d5df",
			"453ce7202afa58094a04d2b1560ee2b02660f1c260b32ce6651c8ccedd1028ab",
			"0383bceaaa1096cf3c03ec021ed0048068e2355dbfc0239b292cefdac821cec5"},
	},
	{
		Name:     "fb15k-237",
		Entities: 14541, Relations: 237, Train: 272115, Valid: 17535, Test: 20466,
		Addresses: []string{
			"https://download.microsoft.com/download/8/7/0/8700516A-AB3D-4850-B4BB-805C515AECE1/FB15K-237.2.zip",
			"https://github.com/TimDettmers/ConvE/raw/master/FB15k-237.tar.gz",
			"https://web.informatik.uni-mannheim.de/pi1/kge-datasets/fb15k-237.tar.gz",
		},
		Licence: freebaseLicence,
		Sums: [3]string{"61099230e4439f90885ca9767739e31e8e32f54736fa1c35952b27997bc7c08a",
			"749cbe9d923bac7b9354da5614ecfed2e0220256d442c3e04a6b303db1f273d9",
			"e2e35e8e6113de220140b6f44dc71a5207b0fc6872d575e874aefe13259b655b"},
	},
	{
		Name:     "yago3-10",
		Entities: 123182, Relations: 37, Train: 1079040, Valid: 5000, Test: 5000,
		Addresses: []string{
			"https://github.com/TimDettmers/ConvE/raw/master/YAGO3-10.tar.gz",
		},
		Licence: "CC BY",
		Sums: [3]string{"1543056ff5af6d3bf841510129529e91e9a8627c",
			"c9018b77ec77e99f8d48bc3258d404f10b2049a6c7b4ac6eb663697e799dc6f5",
			"003887ca8a34c90fcaf9b0250b1c30a4b5f617f80f8cf0aeab9723333061598a"},
	},
	{
		Name:     "umls",
		Entities: 135, Relations: 46, Train: 5216, Valid: 652, Test: 661,
		Addresses: []string{"https://github.com/TimDettmers/ConvE/raw/master/umls.tar.gz"},
		Licence:   smallLicence,
		Sums: [3]string{"873ef4925516b83e7f6f8cc02b4be51d848828710a7f65a956f0ac4a9e452f35",
			"025c98f8a4891e2a6582ec5b40ee0d904031edad9c52554522f4b7904820c98e",
			"a7eb529a3d2810fcc96341ccc97c625a5e202f8389673aa6bd317eeebbb79014"},
	},
	{
		Name:     "kinship",
		Entities: 104, Relations: 25, Train: 8544, Valid: 1068, Test: 1074,
		Addresses: []string{"https://github.com/TimDettmers/ConvE/raw/master/kinship.tar.gz"},
		Licence:   smallLicence,
		Sums: [3]string{"738612111a6acf0e39662bde24c7e72a4d1edf20931beea077da367dda689731",
			"c56f8630a583178b1e569f11a64aa535ae1ce0b0912d8b1e24716be2b37f04da",
			"05e5733265761d55be9c05bfaff5a8d0808df46f9c1e9d66cc3f2fe114e43d88"},
	},
	{
		Name:     "nations",
		Entities: 14, Relations: 55, Train: 1592, Valid: 199, Test: 201,
		Addresses: []string{"https://github.com/TimDettmers/ConvE/raw/master/nations.tar.gz"},
		Licence:   smallLicence,
		Sums: [3]string{"0830fa9da8e5bba2ccdaa45b7bdc9130451ba66b09ff2708f35fccaf82473e57",
			"2b337a62e51a2f45c283eac98a70d21b7e0e102136be1539b2a52c652a7b0530",
			"3971085165b47b6aeaec68058c6d8d98b3005e929db81268410b95ae4db770ab"},
	},
}

// Registry returns the benchmarks that [Open] and [Fetch] know by name.
func Registry() []Benchmark { return slices.Clone(registry) }

func benchmark(name string) (Benchmark, bool) {
	i := slices.IndexFunc(registry, func(b Benchmark) bool { return b.Name == name })
	if i < 0 {
		return Benchmark{}, false
	}
	return registry[i], true
}

func benchmarkNames() []string {
	all := make([]string, len(registry))
	for i, b := range registry {
		all[i] = b.Name
	}
	return all
}
