package main

import (
	"math"
	"math/rand/v2"
)

// heldOut is the share of each relation that goes to valid, and the same to test.
const heldOut = 0.13

// heldOutRelations lists the relations with facts in valid and test. The capital relations
// stay in train because each reveals the other.
var heldOutRelations = []string{locatedIn, borders, speaks, usesCurrency}

// split divides the facts so that every entity and relation of valid and test
// occurs in train, and that a fact and its reverse stay together. The facts of
// each split keep their order.
func split(facts []fact, seed uint64) (train, valid, test []fact) {
	rng := rand.New(rand.NewPCG(seed, 0))
	mentions := make(map[string]int) // of each entity in the remaining training facts
	byRelation := make(map[string][]fact)
	for _, f := range facts {
		mentions[f.head]++
		mentions[f.tail]++
		byRelation[f.relation] = append(byRelation[f.relation], f)
	}
	place := make(map[fact]string)
	for _, relation := range heldOutRelations {
		candidates := byRelation[relation]
		want := int(math.Round(heldOut * float64(len(candidates))))
		rng.Shuffle(len(candidates), func(i, j int) {
			candidates[i], candidates[j] = candidates[j], candidates[i]
		})
		got := map[string]int{}
		for _, f := range candidates {
			target := "test"
			if got["test"] >= want {
				target = "valid"
			}
			if got[target] >= want {
				break
			}
			if place[f] != "" {
				continue
			}
			together := []fact{f}
			if relation == borders {
				together = append(together, fact{f.tail, borders, f.head})
			}
			if mentions[f.head] <= len(together) || mentions[f.tail] <= len(together) {
				continue
			}
			for _, f := range together {
				place[f] = target
				got[target]++
				mentions[f.head]--
				mentions[f.tail]--
			}
		}
	}
	for _, f := range facts {
		switch place[f] {
		case "valid":
			valid = append(valid, f)
		case "test":
			test = append(test, f)
		default:
			train = append(train, f)
		}
	}
	return train, valid, test
}
