// Package proposetest is the conformance suite of operators, which every
// implementation of propose.Operator runs in its own tests, and a small world to
// run them in: trees in memory and workspaces in plain folders.
package proposetest
