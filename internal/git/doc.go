// Package git runs the git program defensively. A call sees no variable of the
// environment that begins with GIT_, no configuration but the repository's own,
// runs no hook, fsmonitor, signer, pager, prompt or network transport, takes no
// optional lock, and is always told which repository it works on, so that it
// can never wander into another one.
//
// It is not a git library: what a call prints is for its caller to parse.
package git
