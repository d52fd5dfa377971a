// Package bench measures what clade costs on this machine: the rows that decide
// whether a search can afford thousands of attempts. Everything is measured
// through the parts that a real run uses; only operators and evaluators are
// replaced by ones that work in process and take no time, where a row says so.
//
// Figures are medians, or rates over many attempts. Times of a loaded machine
// are not those of an idle one, so the conditions stand above the table and
// ratios beside the times.
package bench
