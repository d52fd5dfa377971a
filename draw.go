package clade

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
