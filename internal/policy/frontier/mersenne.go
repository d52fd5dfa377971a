package frontier

import (
	"math"
	"math/bits"
)

// A mersenne is MT19937 seeded as Python's random.Random(seed) is, so that a
// logged seed gives the draws that it gave there (Matsumoto and Nishimura,
// Mersenne Twister, 1998; their init_by_array and genrand_res53 of 2002).
type mersenne struct {
	state [624]uint32
	at    int
}

func newMersenne(seed uint64) *mersenne {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high > 0 {
		key = append(key, high)
	}
	return keyed(key)
}

// keyed is init_by_array.
func keyed(key []uint32) *mersenne {
	const n = 624
	m := &mersenne{at: n}
	m.state[0] = 19650218
	for i := 1; i < n; i++ {
		m.state[i] = 1812433253*(m.state[i-1]^m.state[i-1]>>30) + uint32(i)
	}
	i, j := 1, 0
	step := func(factor uint32, add uint32) {
		m.state[i] = (m.state[i] ^ (m.state[i-1]^m.state[i-1]>>30)*factor) + add
		if i++; i == n {
			m.state[0] = m.state[n-1]
			i = 1
		}
	}
	for range max(n, len(key)) {
		step(1664525, key[j]+uint32(j))
		if j++; j == len(key) {
			j = 0
		}
	}
	for range n - 1 {
		step(1566083941, -uint32(i))
	}
	m.state[0] = 1 << 31
	return m
}

// word is the next 32 bits.
func (m *mersenne) word() uint32 {
	if m.at == len(m.state) {
		m.twist()
	}
	y := m.state[m.at]
	m.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) twist() {
	const n, half = 624, 397
	for i := range n {
		y := m.state[i]&(1<<31) | m.state[(i+1)%n]&(1<<31-1)
		m.state[i] = m.state[(i+half)%n] ^ y>>1 ^ -(y&1)&0x9908b0df
	}
	m.at = 0
}

// float is a number in [0, 1) with 53 random bits.
func (m *mersenne) float() float64 {
	a, b := m.word()>>5, m.word()>>6
	return (float64(a)*(1<<26) + float64(b)) / (1 << 53)
}

// below is a whole number from 0 to n-1, n from 1: bits are drawn until they
// are below n, as Python's choice does.
func (m *mersenne) below(n int) int {
	if uint64(n) > math.MaxUint32 {
		n = math.MaxUint32
	}
	shift := 32 - bits.Len32(uint32(n))
	for {
		if v := m.word() >> shift; v < uint32(n) {
			return int(v)
		}
	}
}
