package datasets

import (
	"cmp"
	"slices"
)

// byTime puts the latest triples into test, and those before them into valid. No split has the time
// of another one.
func (s *splitting) byTime(times []float64) {
	all := s.groups()
	for _, group := range all.first {
		earliest := times[group]
		for i := range all.of(group) {
			earliest = min(earliest, times[i])
		}
		for i := range all.of(group) {
			times[i] = earliest
		}
	}
	descending := func(a, b float64) int { return cmp.Compare(b, a) }
	latest := slices.SortedFunc(slices.Values(times), descending)
	tests := timeCut(latest, s.report.WantedTest)
	held := tests + timeCut(latest[tests:], s.report.WantedValid)
	for i, at := range times {
		switch {
		case tests > 0 && at >= latest[tests-1]:
			s.place[i] = inTest
		case held > 0 && at >= latest[held-1]:
			s.place[i] = inValid
		}
	}
}

// timeCut returns the number of first times, nearest to the wanted one, that divides no time. It
// leaves some.
func timeCut(times []float64, wanted int) int {
	divides := func(n int) bool { return n > 0 && n < len(times) && times[n-1] == times[n] }
	wanted = max(0, min(wanted, len(times)-1))
	fewer, more := wanted, wanted
	for divides(fewer) {
		fewer--
	}
	for divides(more) {
		more++
	}
	if wanted-fewer <= more-wanted || more == len(times) {
		return fewer
	}
	return more
}
