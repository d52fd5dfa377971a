// Package command measures by running commands: gates, measures, a benchmark
// and the cases of a dataset. It is the only place that turns what a program
// did into a sample, and it decides nothing.
//
// # Trees
//
// Every subject gets a workspace of its own, rebuilt from its commit, and every
// command in it a scope of its own: nothing that one command wrote is there for
// the next. A scorer's command runs in the base's tree, which no candidate has
// touched.
//
// # Order
//
// Gates come first, in the spec's order; the first failure ends the subject's
// checks, and what it did not reach has no sample. Then, for each replicate,
// the benchmark, the measures and the cases. Subjects take turns at each
// command, in an order that a coin keyed by run seed, attempt and replicate
// tells. Gates run again in every replicate, unless the spec measures timings,
// where once a stage is enough. A measure that gave no number is not asked
// again in later replicates.
//
// # Classes
//
//	gate: exit status not 0, signal, time or memory limit     candidate, value 0
//	gate or other command: program not found, on the base     evaluator
//	measure, benchmark: time or memory limit                  candidate; on the base evaluator
//	measure, benchmark: exit status not 0, signal             evaluator; candidate where the spec has no gates and it is not the base
//	number missing, invalid or out of bounds                  evaluator
//	case: exit status not 0, signal, limit, oversized answer  candidate (scored 0)
//	case: cannot be scored, scorer's command fails            evaluator
//	processes left behind, where the spec's census rejects    policy; on the base evaluator
//	killed by SIGKILL from outside the limits                 an error: infrastructure
//
// # Memory
//
// A sample is looked up before its command runs and kept, durably, before the
// next one starts. Evaluator failures are not kept, so that a later try asks
// again. Other attempts are served the first replicate of gates that passed,
// of measures without noise and of cases, unless the stage is fresh or on the
// test split, or the command may use the network. A timing pair is recalled
// whole or not at all.
//
// # The benchmark's result
//
// CLADE_RESULT names a file that does not exist, in a folder made for this one
// run of the command. What the command leaves there counts only when it exits
// with status 0 and the file is a regular one within evaluate.MaxResult; a
// "nonce" in it must be the value of CLADE_NONCE, and where the spec says
// protect.nonce there must be one. The folder is looked at when nothing that the
// command started is alive any more. A process that the command starts has both
// variables unless the command takes them away: a benchmark that runs the
// candidate in its own process, or hands its environment on, tells it where its
// result goes. A measure's read.file must
// not exist before its command runs, for the same reason: a number that was
// there before is not a measurement.
//
// # Environment
//
// A command sees PATH, a fixed locale and time zone, HOME and TMPDIR of its
// scope, what the spec sets and the variables it passes by name. Nothing tells
// a search from a final.
package command
