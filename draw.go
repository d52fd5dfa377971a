package clade

import (
	"cmp"
	"slices"
)

// Draw is the random number for decision n of a stream in a run with this seed.
// It depends on nothing else, so a replay, a resume and any number of slots see
// the same draws. Mixing is FNV-1a over the stream, then splitmix64 (Steele,
// Lea, Flood 2014).
func Draw(seed uint64, stream string, n ID) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(stream) {
		h = (h ^ uint64(stream[i])) * 1099511628211
	}
	return mix(mix(seed^h) + uint64(n)*0x9e3779b97f4a7c15)
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Minibatch draws n of the cases for an attempt, in the order given. It depends
// on the seed, the attempt and the cases' names alone, so that a resume asks the
// same ones. With n below 1, or at least as many as there are, it is all of them.
func Minibatch(seed uint64, id ID, cases []string, n int) []string {
	if n < 1 || n >= len(cases) {
		return cases
	}
	order := make([]int, len(cases))
	for i := range order {
		order[i] = i
	}
	place := func(i int) uint64 { return Draw(seed, "minibatch/"+cases[i], id) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	drawn := order[:n]
	slices.Sort(drawn)
	out := make([]string, n)
	for i, at := range drawn {
		out[i] = cases[at]
	}
	return out
}
