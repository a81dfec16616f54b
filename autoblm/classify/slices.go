package classify

// permuted returns x in an order; nil stays nil.
func permuted[T any](x []T, order []int32) []T {
	if x == nil {
		return nil
	}
	y := make([]T, len(order))
	for i, from := range order {
		y[i] = x[from]
	}
	return y
}

// renumber replaces row numbers by their positions in an order.
func renumber(rows, order []int32) {
	place := inverse(order)
	for i, row := range rows {
		rows[i] = place[row]
	}
}

func inverse(order []int32) []int32 {
	place := make([]int32, len(order))
	for i, from := range order {
		place[from] = int32(i)
	}
	return place
}

func countTrue(flags []bool) (n int) {
	for _, set := range flags {
		if set {
			n++
		}
	}
	return n
}

// integers returns from, from+1, …, to-1.
func integers[N int | int32](from, to N) (all []N) {
	for n := from; n < to; n++ {
		all = append(all, n)
	}
	return all
}
