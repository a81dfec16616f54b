package results

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// TestPictures compares the pictures in docs with those that the result files give.
func TestPictures(t *testing.T) {
	for name, draw := range map[string]func(*testing.T) plot.Picture{
		"structures": drawStructures, "minutes": drawMinutes, "dimensions": drawDimensions,
	} {
		path := "../../docs/" + name + ".svg"
		want, err := draw(t).SVG()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the result files (%v): run go test ./notebooks/results -update",
				path, err)
		}
	}
}

// drawStructures draws the baselines and the structure of the multi-hop queries.
func drawStructures(*testing.T) plot.Picture {
	titled := []plot.Titled{{
		Title:     "found for 3-hop queries",
		Structure: structure.MustParse("0,0,0,2;0,0,-1,0;0,3,0,0;4,0,0,-1"),
	}}
	for _, b := range structure.Baselines() {
		titled = append(titled, plot.Titled{Title: b.Title, Structure: b.Structure})
	}
	return plot.Structures(append(titled[1:], titled[0]))
}

// drawMinutes draws the mean gain of searches over train --structure complex.
func drawMinutes(t *testing.T) plot.Picture {
	d, err := readDoc("minutes.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []plot.Series
	for _, row := range d.R.([]any) {
		graph := find(row, "dataset").(string)
		i := slices.IndexFunc(all, func(s plot.Series) bool { return s.Name == graph })
		if i < 0 {
			i, all = len(all), append(all, plot.Series{Name: graph})
		}
		gains := numbers(row, "search")
		floats.Sub(gains, numbers(row, "train"))
		all[i].Points = append(all[i].Points, plot.Point{
			X: number(find(row, "minutes")), Y: stat.Mean(gains, nil),
		})
	}
	return plot.Curve{
		Title: "search --minutes against train, mean of 3 seeds",
		X:     "minutes", Y: "gain in test MRR", Series: all,
	}.Picture()
}

// drawDimensions draws for each dimension the training of ComplEx on FB15k-237 with the best
// validation MRR, and the results of others.
func drawDimensions(t *testing.T) plot.Picture {
	all, err := trainingsOn("fb15k-237")
	if err != nil {
		t.Fatal(err)
	}
	best := map[float64][]doc{}
	for _, seeds := range all {
		dim := number(find(seeds[0].R, "final.training.settings.dim"))
		if model(seeds[0]) == "ComplEx, rp" && (best[dim] == nil || validMRR(seeds) > validMRR(best[dim])) {
			best[dim] = seeds
		}
	}
	var points []plot.Point
	for dim, seeds := range best {
		points = append(points, plot.Point{X: dim, Y: testMRR(seeds)})
	}
	slices.SortFunc(points, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
	c := plot.Curve{
		Title: "ComplEx on FB15k-237", X: "dimension", Y: "test MRR",
		Series: []plot.Series{{Points: points}, {Style: plot.Dots, Points: points}},
	}
	for _, r := range reportedOn("fb15k-237") {
		if r.Model == "AutoBLM+" || r.Recipe == "rp" {
			name := r.Model + ", published"
			c.Levels = append(c.Levels, plot.Level{Name: name, Y: r.MRR})
		}
	}
	return c.Picture()
}
