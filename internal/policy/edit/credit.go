package edit

import "github.com/cladehq/clade"

const (
	blockSize = 64   // attempts counted together
	blocks    = 24   // how many blocks back success is remembered
	fade      = 0.85 // weight of a block relative to the next younger one
	shrinkage = 40   // attempts at the common rate that each kind is credited with
	floor     = 0.1  // the least a kind's success counts for, relative to the common rate
)

// credit counts, per kind and block of attempt IDs, how many attempts were
// closed and how many of these beat their first parent. Whole numbers in blocks
// by ID do not depend on the order in which attempts ended.
type credit struct {
	blocks []count
}

type count struct{ tried, won [len(kinds)]int }

func (c *credit) add(id clade.ID, kind int, won bool) {
	for len(c.blocks) <= int(id)/blockSize {
		c.blocks = append(c.blocks, count{})
	}
	b := &c.blocks[int(id)/blockSize]
	b.tried[kind]++
	if won {
		b.won[kind]++
	}
}

// shares weighs priors by success. Kinds with prior 0 stay at 0.
func (c *credit) shares(prior [len(kinds)]float64) [len(kinds)]float64 {
	var tried, won [len(kinds)]float64
	var allTried, allWon float64
	weight := 1.0
	for i := len(c.blocks) - 1; i >= max(0, len(c.blocks)-blocks); i-- {
		for k := range kinds {
			tried[k] += weight * float64(c.blocks[i].tried[k])
			won[k] += weight * float64(c.blocks[i].won[k])
			allTried += weight * float64(c.blocks[i].tried[k])
			allWon += weight * float64(c.blocks[i].won[k])
		}
		weight *= fade
	}
	rate := (allWon + 1) / (allTried + 10)
	for k := range prior {
		own := (won[k] + shrinkage*rate) / (tried[k] + shrinkage)
		prior[k] *= max(floor, own/rate)
	}
	return prior
}

// priors are the shares before anything is known: numbers and tuned parameters
// first where there are any, structural edits for code.
func priors(s *Space) (p [len(kinds)]float64) {
	share := map[Kind]float64{
		Number: .12, NumberLine: .04, NumberFew: .06, Tune: .35, LineDelete: .14, LineReplace: .06, LineInsert: .05,
		LineSwap: .06, TokenDelete: .05, TokenReplace: .08, TokenFlip: .07,
	}
	if onlyData(s) {
		share = map[Kind]float64{Number: .85, NumberLine: .06, NumberFew: .06, Tune: .35, LineSwap: .01,
			LineReplace: .005, LineInsert: .0025, LineDelete: .0025, TokenReplace: .005, TokenDelete: .0025, TokenFlip: .0025}
	}
	for i, k := range kinds {
		if k == Tune && len(s.Tunes) > 0 || k != Tune && weight(s.Files, k) > 0 {
			p[i] = share[k]
		}
	}
	return p
}

func onlyData(s *Space) bool {
	for _, f := range s.Files {
		if !f.Data {
			return false
		}
	}
	return true
}

// material is how much of a file a kind could change.
func material(f File, k Kind) int {
	switch k {
	case Number, NumberLine, NumberFew:
		return f.Numbers
	case LineDelete, LineReplace, LineInsert, LineSwap:
		return f.Lines
	case TokenDelete, TokenReplace, TokenFlip:
		return f.Tokens
	}
	return 0
}

func weight(files []File, k Kind) (sum int) {
	for _, f := range files {
		sum += material(f, k)
	}
	return sum
}
