// Package proposetest is the conformance suite of operators: every
// implementation of propose.Operator runs it in its own tests.
package proposetest
