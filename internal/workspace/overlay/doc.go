// Package overlay makes workspaces as overlayfs mounts over one template per
// base. A workspace is a stack of folders, the topmost the only one that commands
// write to:
//
//	slots/<process>/<workspace>/<scope>/upper   what this scope's commands changed
//	slots/<process>/<workspace>/delta           the plan's tree against the base
//	templates/<key>/git-<hidden>                a repository with one commit
//	templates/<key>/tree                        the base, carry and setup
//
// Nothing is ever mounted where clade itself runs: the stack travels in a
// command's Mounts and exists in the command's own namespaces. What changed is
// read from the upper folder, so that no step costs more than the difference.
package overlay
