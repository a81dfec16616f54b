package env

import (
	// Displays, and values that later cells read.
	_ "github.com/janpfeifer/gonb/cache"
	_ "github.com/janpfeifer/gonb/gonbui"
	_ "github.com/janpfeifer/gonb/gonbui/dom"

	// Tensors and their graphs.
	_ "github.com/gomlx/compute"
	_ "github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend"
	_ "github.com/gomlx/compute/shapes"
	_ "github.com/gomlx/gomlx/core/graph"
	_ "github.com/gomlx/gomlx/core/tensors"

	// Numbers and plots.
	_ "github.com/dustin/go-humanize"
	_ "gonum.org/v1/gonum/mat"
	_ "gonum.org/v1/gonum/optimize"
	_ "gonum.org/v1/gonum/stat"
	_ "gonum.org/v1/plot"
	_ "gonum.org/v1/plot/plotter"
	_ "gonum.org/v1/plot/plotutil"
	_ "gonum.org/v1/plot/vg"
)
