// Package gofast counts words. It is right, and slow on purpose: clade finds
// out why.
package gofast

import "strings"

// buckets is how many chains the table has.
const buckets = 2 // clade:tune buckets=1..4096 log int

// Count returns how often each word of text occurs.
func Count(text string) map[string]int {
	table := make([][]entry, buckets)
	for _, word := range strings.Fields(text) {
		chain := &table[hash(word)%buckets]
		add(chain, word)
		sortWords(*chain)
	}
	return counts(table)
}
