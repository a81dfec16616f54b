package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// peer runs another program for the same task and returns the seconds of a
// training step per member, or of a ranking.
func peer(ctx context.Context, command, folder string, threads int, c timed) (float64, error) {
	words := strings.Fields(command)
	flags := map[string]int{"--dim": c.Dim, "--batch": c.Batch, "--members": c.Members, "--threads": threads, "--epochs": epochs, "--max-steps": c.Steps}
	if c.Rank {
		flags["--epochs"], flags["--max-steps"] = 1, 1
	}
	arguments := append(words[1:], folder, "--structure", "complex")
	for name, value := range flags {
		arguments = append(arguments, name, strconv.Itoa(value))
	}
	if c.Rank {
		arguments = append(arguments, "--eval")
	}
	output, err := exec.CommandContext(ctx, words[0], arguments...).Output()
	if err != nil {
		return 0, fmt.Errorf("the peer failed: %w", err)
	}
	var result struct {
		Steps []float64 `json:"ms_per_step_per_member"` // of each epoch
		Test  struct {
			Seconds float64 `json:"seconds"`
		} `json:"test"`
	}
	if err := json.Unmarshal(output, &result); err != nil {
		return 0, fmt.Errorf("the peer printed no JSON: %w", err)
	}
	if c.Rank {
		return result.Test.Seconds, nil
	}
	if len(result.Steps) < 2 {
		return 0, fmt.Errorf("the peer timed %d epochs, and the first is for warming up", len(result.Steps))
	}
	return median(result.Steps[1:]) / 1e3, nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
