package plot_test

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func ExampleStructure() {
	picture := plot.Structure(structure.MustParse("complex"), "ComplEx")
	file, err := picture.SVG()
	fmt.Printf("%s %v\n", file[:5], err)
	fmt.Println(picture.Save("complex.jpg"))
	// Output:
	// <?xml <nil>
	// save picture complex.jpg: the extension is ".jpg"; it must be .png or .svg
}

// A search next to a baseline.
func ExampleCurve() {
	trials := []plot.Point{{X: 1, Y: 0.71}, {X: 2, Y: 0.68}, {X: 3, Y: 0.83}, {X: 4, Y: 0.80}}
	search := plot.Curve{
		Title: "Search",
		X:     "structures trained",
		Y:     "validation MRR",
		Series: []plot.Series{
			{Name: "best so far", Style: plot.Steps, Points: plot.BestSoFar(trials)},
			{Name: "one structure", Style: plot.Dots, Points: trials},
		},
		Levels: []plot.Level{{Name: "ComplEx", Y: 0.79}},
	}
	file, err := search.Picture().PNG()
	fmt.Printf("%q %v\n", file[1:4], err)
	fmt.Println(plot.BestSoFar(trials))
	// Output:
	// "PNG" <nil>
	// [{1 0.71} {2 0.71} {3 0.83} {4 0.83}]
}
