// Package crash proves that a search survives being killed. It runs the real
// program over a small repository, kills it at one persisted step, before or
// after, lets it resume, and compares what came out with a run that nobody
// interrupted: the decisions, what was paid, how often the operator and the
// evaluator really ran (they tell a file that clade does not know), the user's
// files, the stored state, and what is left of processes, mounts and locks.
package crash
