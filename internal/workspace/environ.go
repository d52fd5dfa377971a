package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A View is where a command finds a workspace's folders, as it sees them.
type View struct{ Tree, Home, Temp string }

// Folders are those of the view: a command may write them all.
func (v View) Folders() []string { return []string{v.Tree, v.Home, v.Temp} }

// Environ completes a command's environment: HOME and TMPDIR are the view's,
// the tools' caches lie in HOME unless env says otherwise, and git does not
// look for a repository above the tree.
func (v View) Environ(env []string) []string {
	own := []string{"HOME=" + v.Home, "TMPDIR=" + v.Temp}
	if runtime.GOOS == "windows" {
		own = append(own, "USERPROFILE="+v.Home, "TEMP="+v.Temp, "TMP="+v.Temp)
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(nameOf(o), nameOf(e)) })
	})
	env = append(env, own...)
	cache := v.Home + "/.cache"
	for _, e := range []struct{ name, value string }{
		{"XDG_CACHE_HOME", cache},
		{"GOCACHE", cache + "/go-build"},
		{"PIP_CACHE_DIR", cache + "/pip"},
		{"npm_config_cache", v.Home + "/.npm"},
		{"GIT_CEILING_DIRECTORIES", filepath.Dir(v.Tree)},
		{"GOMODCACHE", hostModules()},
		{"RUSTUP_HOME", hostFolder("RUSTUP_HOME", ".rustup")}, // rustup's cargo finds its toolchains there
		{"VOLTA_HOME", hostFolder("VOLTA_HOME", ".volta")},
	} {
		if e.value != "" && !slices.ContainsFunc(env, func(have string) bool { return strings.HasPrefix(have, e.name+"=") }) {
			env = append(env, e.name+"="+e.value)
		}
	}
	return env
}

func nameOf(variable string) string {
	name, _, _ := strings.Cut(variable, "=")
	return name
}

// hostFolder is the user's folder of a tool that finds its programs by it: the
// variable's, or that below the home; "" if there is none.
func hostFolder(variable, below string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, below)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// hostModules is the user's Go module cache, "" if there is none: modules that
// were already fetched need no network.
func hostModules() string {
	dir := os.Getenv("GOMODCACHE")
	if dir == "" {
		if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 {
			dir = filepath.Join(list[0], "pkg", "mod")
		} else if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, "go", "pkg", "mod")
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// MountedTemp is TMPDIR where folders are mounted for a command.
const MountedTemp = "/tmp"
