package structure_test

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func ExampleParse() {
	for _, text := range []string{"complex", "-1,0;2,-1", "[[1,0],[0,2]]", "1,0;0,3"} {
		s, err := structure.Parse(text)
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(s)
	}
	// Output:
	// 1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2
	// -1,0;2,-1
	// 1,0;0,2
	// error: structure "1,0;0,3": row 2, column 2: 3 is not an integer from -2 to 2
}

// Two structures define the same scoring function up to renaming chunks exactly if their
// canonical forms are equal.
func ExampleStructure_Canonical() {
	a := structure.MustParse("complex")
	b := structure.MustParse("2,-4,0,0;4,2,0,0;0,0,-1,3;0,0,-3,-1")
	fmt.Println(a.Canonical(structure.Full))
	fmt.Println(a.Canonical(structure.Full) == b.Canonical(structure.Full), b.Name())
	// Output:
	// 1,2,0,0;-2,1,0,0;0,0,3,4;0,0,-4,3
	// true complex
}

func ExampleStructure_Witness() {
	s := structure.MustParse("1,1;2,2")
	for _, mode := range s.DegenerateModes() {
		fmt.Println(mode, s.Witness(mode))
	}
	// Output:
	// tail [1 -1]
}

func ExampleStructure_Draw() {
	s := structure.MustParse("complex")
	fmt.Print(s.Draw(false))
	fmt.Println(s.Formula())
	// Output:
	//        t1    t2    t3    t4
	//     ┌─────┬─────┬─────┬─────┐
	//  h1 │ +r1 │  ·  │ +r3 │  ·  │
	//     ├─────┼─────┼─────┼─────┤
	//  h2 │  ·  │ +r2 │  ·  │ +r4 │
	//     ├─────┼─────┼─────┼─────┤
	//  h3 │ -r3 │  ·  │ +r1 │  ·  │
	//     ├─────┼─────┼─────┼─────┤
	//  h4 │  ·  │ -r4 │  ·  │ +r2 │
	//     └─────┴─────┴─────┴─────┘
	// ⟨h1,r1,t1⟩ + ⟨h1,r3,t3⟩ + ⟨h2,r2,t2⟩ + ⟨h2,r4,t4⟩ - ⟨h3,r3,t1⟩ + ⟨h3,r1,t3⟩ - ⟨h4,r4,t2⟩ + ⟨h4,r2,t4⟩
}

// Transform a model to an equivalent structure with the same scores.
func ExampleStructure_SymmetryTo() {
	a, b := structure.MustParse("1,1;1,2"), structure.MustParse("2,-2;-2,1")
	s, ok := a.SymmetryTo(b, structure.Full)
	fmt.Println(ok, s.Entities(), s.Relations())

	h, r, t := []float64{1, 2}, []float64{3, 4}, []float64{5, 6}
	fmt.Println(a.Score(h, r, t))
	fmt.Println(b.Score(structure.CarryEntity(s, h), structure.CarryRelation(s, r),
		structure.CarryEntity(s, t)))

	_, ok = a.SymmetryTo(b, structure.Paper)
	fmt.Println(ok)
	// Output:
	// true [1 -2] [2 1]
	// 111
	// 111
	// false
}

func ExampleClasses() {
	for s := range structure.Classes(2, 2, structure.Full) {
		fmt.Println(s)
	}
	// Output:
	// 1,1;0,0
	// 1,2;0,0
	// 1,0;1,0
	// 1,0;2,0
	// 1,0;0,1
	// 1,0;0,-1
	// 1,0;0,2
	// 0,1;1,0
	// 0,1;-1,0
	// 0,1;2,0
}
