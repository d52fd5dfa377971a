// Package bare keeps candidates in a bare git repository that belongs to clade.
//
// # One writer per process
//
// Every commit goes through one git fast-import per process. A commit in its
// unfinished pack is visible to nobody else, and even fast-import knows it by a
// mark and not by its id; so a commit is given to it with its parents as marks
// while they are unfinished and by id from then on. The branch that fast-import
// insists on is reset before every commit and every checkpoint and therefore
// never reaches the disk.
//
// The trees and the id of a commit are worked out here as well. That makes
// trees and listings readable without asking git, lets a tree share all it can
// with the one it was made from, and checks every id that fast-import reports.
//
// # What survives
//
// Sync checkpoints fast-import, flushes the folder of its packs, and only then
// forgets what it would need to do so again. Until then every commit is kept in
// memory, so that a fast-import that dies is followed by another, and outside
// by whoever holds its Stream. A Stream is the commit in fast-import's own
// language with all objects named by id; Restore reads it back and makes the
// same commit.
//
// # Who may clean up
//
// Every open ledger holds a shared lock on the file clade-ledger. Who can have
// it exclusively knows that no other process works in the repository, and
// removes what dead ones left: lock files, unfinished packs, crash reports. So
// does Prune before it removes the commits of runs that are gone, since a commit
// that somebody is making is in no log yet.
package bare
