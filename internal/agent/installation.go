package agent

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// installation is where a program's own files lie, so that they can be shown to
// it although the user's home is hidden: the whole node_modules of one that npm
// installed, else the folder of what a link on PATH leads to. A program that is
// not there has none.
func installation(program string) []string {
	found, err := exec.LookPath(program)
	if err != nil {
		return nil
	}
	if found, err = filepath.Abs(found); err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil {
		return nil
	}
	out := []string{filepath.Dir(found)}
	const modules = string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	if i := strings.Index(real, modules); i >= 0 {
		return append(out, real[:i+len(modules)-1])
	}
	if dir := filepath.Dir(real); dir != out[0] {
		out = append(out, dir)
	}
	return out
}
