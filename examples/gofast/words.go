// Package gofast counts words. It is right, and slow on purpose: clade finds
// out why.
package gofast

import "strings"

// buckets is how many chains the table has.
const buckets = 2 // clade:tune buckets=1..4096 log int

type entry struct {
	word  string
	count int
}

// Count returns how often each word of text occurs.
func Count(text string) map[string]int {
	table := make([][]entry, buckets)
	for _, word := range strings.Fields(text) {
		chain := &table[hash(word)%buckets]
		add(chain, word)
		sortWords(*chain)

	}
	counts := map[string]int{}
	for _, chain := range table {
		for _, e := range chain {
			counts[e.word] = e.count
		}
	}
	return counts
}

// add counts one more of word in a chain.
func add(chain *[]entry, word string) {
	for i := range *chain {
		if (*chain)[i].word == word {
			(*chain)[i].count++
			return
		}
	}
	*chain = append(*chain, entry{word, 1})
}

// sortWords puts a chain in order.
func sortWords(chain []entry) {
	for i := range chain {
		for j := i; j > 0 && chain[j].word < chain[j-1].word; j-- {
			chain[j], chain[j-1] = chain[j-1], chain[j]
		}
	}
}

// hash is FNV-1a.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
