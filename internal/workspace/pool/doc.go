// Package pool makes workspaces as plain folders, for systems where nothing can
// be mounted over another. A folder is copied from the template once and then
// used again and again: a scan finds the files whose size, times, mode or number
// are not those recorded, and only these are copied anew.
//
// It is weaker than an overlay in two ways that the record of a run shows. A
// folder's path is not the one setup ran in, so caches keyed by path are cold
// the first time; and where the sandbox mounts nothing, commands can reach other
// folders of the cache.
package pool
