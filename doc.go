// Package clade is the domain: what a run, an attempt, a candidate, a gate, a
// measure, a budget and a lineage are, how a log of events folds into the state
// of a run, and what a decision may read of it.
//
// It imports nothing else in this module and does no I/O, so every rule in it
// can be tested with plain values. Its file names are the glossary.
package clade
