package gofast

type entry struct {
	word  string
	count int
}

// counts lists what the table holds.
func counts(table [][]entry) map[string]int {
	total := map[string]int{}
	for _, chain := range table {
		for _, e := range chain {
			total[e.word] = e.count
		}
	}
	return total
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
