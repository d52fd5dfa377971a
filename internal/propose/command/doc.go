// Package command is the operator that runs a program in a workspace: a command
// of the spec, or the executable clade-operator-NAME on PATH.
//
// # Protocol, version 1
//
// The program is started in the target's folder of a workspace that holds the
// first parent's tree. It edits the files there; what it changed is the
// proposal. On standard input it gets one JSON object, a Request, which it may
// ignore. Exit status 0 with changes is a proposal, without changes it proposed
// nothing; any other end is a failure of the operator.
//
// It may say more with one JSON object, a Reply: in the file that the variable
// CLADE_REPLY names (relative to the folder it is started in, never part of the
// proposal), or else as the last line of its output. A reply file must be right:
// an unknown key or a wrong type is a failure. A last line that is no Reply is
// just output.
//
// Its environment is PATH, LANG and LC_ALL, HOME and TMPDIR of its scope, the
// spec's env and pass_env for it, and:
//
//	CLADE_PROTOCOL   1
//	CLADE_OPERATOR   the operator's name in the spec
//	CLADE_ATTEMPT    the attempt's number
//	CLADE_TRY        which try of it this is, from 1
//	CLADE_DRAW       a number from 0 to 2^64-1: the seed of everything random
//	CLADE_REPLY      the reply file
//
// An operator that wants the same run to give the same result draws its random
// numbers from CLADE_DRAW.
package command
