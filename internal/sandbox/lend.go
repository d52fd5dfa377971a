package sandbox

import (
	"path"
	"slices"
)

// Lend gives the command a host folder to write in, beside its workspace, and
// returns the folder's path as the command sees it. name must be unique among
// what is lent to one command.
func Lend(s Sandbox, c *Command, dir, name string) string {
	if !s.Mounts() {
		c.Writable = append(c.Writable, dir)
		return dir
	}
	target := path.Join(path.Dir(s.Home()), name)
	c.Mounts = append(slices.Clip(c.Mounts), Mount{Kind: MountBind, Source: dir, Target: target})
	return target
}
