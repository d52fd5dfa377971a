// Package sqlite keeps logs in SQLite files: one per run, in write-ahead mode,
// every commit synced.
//
//	<dir>/.gitignore            "*"
//	<dir>/runs/<run>/run.db     the log, its projections, kept samples, pending commits
//	<dir>/runs/<run>/lease      who searches the run, if lease.lock is locked
//	<dir>/runs/<run>/…          logs and other files of the run
//
// The table events is the truth. The tables head, spec, lives, parents and
// notes are projections of it, written in the transaction that appends, so that
// a process that does not fold can read a run without reading its log. Samples
// and pending commits are no part of the fold.
//
// An Update takes SQLite's write lock first and so is alone in deciding, in
// this process and among others. A View is one read transaction.
package sqlite
