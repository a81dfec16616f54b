package strategy

import "github.com/autoblm/autoblm-go/internal/enum"

// All lists the strategies.
func All() []Strategy {
	return []Strategy{Evolutionary{}, Progressive{}, Random{}, TPE{}, Reinforce{}}
}

// ByName returns the strategy with a name.
func ByName(name string) (Strategy, error) {
	var all []string
	for _, s := range All() {
		if s.Name() == name {
			return s, nil
		}
		all = append(all, s.Name())
	}
	return nil, enum.Unknown("algorithm", name, all)
}
