package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A tool is a folder that a language's programs or their caches live in.
type tool struct {
	variable string   // names the folder, where it is set
	folder   string   // in a home folder, otherwise
	parts    []string // what of it commands need; "." is all
}

var tools = []tool{
	{"GOROOT", "", []string{"."}},
	{"GOPATH", "go", []string{"bin", "pkg/mod"}},
	{"GOMODCACHE", "", []string{"."}},
	{"CARGO_HOME", ".cargo", []string{"bin", "registry", "git"}},
	{"RUSTUP_HOME", ".rustup", []string{"toolchains", "settings.toml", "update-hashes"}},
	{"PYENV_ROOT", ".pyenv", []string{"bin", "libexec", "plugins", "pyenv.d", "shims", "versions", "version"}},
	{"RBENV_ROOT", ".rbenv", []string{"bin", "libexec", "plugins", "rbenv.d", "shims", "versions", "version"}},
	{"NODENV_ROOT", ".nodenv", []string{"bin", "libexec", "plugins", "nodenv.d", "shims", "versions", "version"}},
	{"ASDF_DIR", ".asdf", []string{"asdf.sh", "bin", "lib", "libexec", "plugins", "shims", "installs"}},
	{"ASDF_DATA_DIR", "", []string{"plugins", "shims", "installs"}},
	{"MISE_DATA_DIR", ".local/share/mise", []string{"installs", "shims", "plugins"}},
	{"NVM_DIR", ".nvm", []string{"versions", "alias"}},
	{"FNM_DIR", ".local/share/fnm", []string{"node-versions", "aliases"}},
	{"VOLTA_HOME", ".volta", []string{"."}},
	{"PNPM_HOME", ".local/share/pnpm", []string{"."}},
	{"BUN_INSTALL", ".bun", []string{"bin", "install/global"}},
	{"DENO_INSTALL", ".deno", []string{"bin"}},
	{"", ".local/share/uv", []string{"python", "tools"}},
	{"PIPX_HOME", ".local/share/pipx", []string{"venvs", "shared"}},
	{"", ".local/pipx", []string{"venvs", "shared"}},
	{"JAVA_HOME", "", []string{"."}},
	{"SDKMAN_DIR", ".sdkman", []string{"candidates"}},
	{"", ".m2", []string{"repository", "wrapper"}},
	{"GRADLE_USER_HOME", ".gradle", []string{"caches", "wrapper", "jdks", "native"}},
	{"", ".ivy2", []string{"cache", "local"}},
	{"COURSIER_CACHE", ".cache/coursier", []string{"."}},
	{"DOTNET_ROOT", ".dotnet", []string{"."}},
	{"NUGET_PACKAGES", ".nuget/packages", []string{"."}},
	{"", ".ghcup", []string{"bin", "ghc", "share"}},
	{"", ".cabal", []string{"bin", "packages", "store"}},
	{"STACK_ROOT", ".stack", []string{"programs", "snapshots", "pantry"}},
	{"OPAMROOT", ".opam", []string{"."}},
	{"", ".juliaup", []string{"."}},
	{"", ".julia", []string{"juliaup", "artifacts", "packages", "compiled", "registries"}},
	{"ELAN_HOME", ".elan", []string{"."}},
	{"MIX_HOME", ".mix", []string{"."}},
	{"HEX_HOME", ".hex", []string{"packages"}},
	{"PUB_CACHE", ".pub-cache", []string{"bin", "hosted", "git", "global_packages"}},
	{"COMPOSER_HOME", ".composer", []string{"vendor"}},
	{"", ".config/composer", []string{"vendor"}},
	{"", ".nimble", []string{"bin", "pkgs", "pkgs2"}},
	{"GEM_HOME", ".gem", []string{"ruby"}},
	{"", ".luarocks", []string{"bin", "lib", "share"}},
	{"PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright", []string{"."}},
}

// tools shows the folders of tools that are there.
func (c *chooser) tools() {
	for _, t := range tools {
		root := c.variable(t.variable)
		if root == "" && t.folder != "" && c.Home != "" {
			root = path.Join(c.Home, t.folder)
		}
		if root == "" {
			continue
		}
		for _, part := range t.parts {
			if p := path.Join(root, part); !c.wide(p) {
				c.show(p)
			}
		}
	}
}

// packaged are folders of PATH that the system's packages fill: no program in
// them leads to anybody's home.
var packaged = []string{"/usr/bin", "/usr/sbin", "/bin", "/sbin"}

// programs shows the folders of PATH, with the installation around each, and
// what the programs in them lead to.
func (c *chooser) programs() {
	list, _ := c.Lookup("PATH")
	for dir := range strings.SplitSeq(list, ":") {
		if !path.IsAbs(dir) || slices.Contains(packaged, path.Clean(dir)) || c.wide(path.Clean(dir)) {
			continue
		}
		dir = path.Clean(dir)
		c.show(c.installation(dir), dir)
		entries, _ := fs.ReadDir(c.Files, inside(dir)) // what cannot be read has no programs
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				c.program(path.Join(dir, e.Name()))
			}
		}
	}
}

// program shows what a link in PATH leads to.
func (c *chooser) program(link string) {
	end := c.end(link)
	if end == "" || (Sight{c.hidden, c.shown}).Sees(end) {
		return
	}
	if around := c.around(end); around != "" {
		c.show(around)
	}
	c.show(link)
}

// around is the folder that a program needs to have around it, "" for none.
func (c *chooser) around(program string) string {
	if before, _, ok := strings.Cut(program, "/node_modules/"); ok {
		return path.Join(before, "node_modules")
	}
	home := c.homeOf(program)
	if share := path.Join(home, ".local/share"); home != "" && within(program, share) {
		name, _, deep := strings.Cut(strings.TrimPrefix(program, share+"/"), "/")
		if p := path.Join(share, name); deep && !slices.Contains(homeSecrets, path.Join(".local/share", name)) {
			return p
		}
		return ""
	}
	if dir := path.Dir(program); c.installation(dir) != dir {
		return c.installation(dir)
	}
	return ""
}

// programFolders are the names of folders that programs lie in.
var programFolders = []string{"bin", ".bin", "sbin", "shims", "condabin", "libexec"}

// installed are what an installation has beside its programs.
var installed = []string{"lib", "lib64", "libexec", "share", "include", "jmods", "conda-meta", "pyvenv.cfg", "versions"}

// installation is the folder around a folder of programs, if it is an
// installation and not the user's home or work; otherwise the folder itself.
func (c *chooser) installation(dir string) string {
	at := path.Dir(dir)
	if end := c.end(dir); end != "" {
		at = path.Dir(end)
	}
	home := c.homeOf(at)
	if !slices.Contains(programFolders, path.Base(dir)) || home == "" || c.wide(at) {
		return dir
	}
	if path.Base(dir) == ".bin" {
		return at
	}
	hiddenName := strings.HasPrefix(strings.TrimPrefix(at, home+"/"), ".")
	if c.exists(path.Join(at, ".git")) && !hiddenName {
		return dir // the user's own repository
	}
	if slices.ContainsFunc(installed, func(name string) bool { return c.exists(path.Join(at, name)) }) {
		return at
	}
	return dir
}

// wideFolders of a home hold more than one program's files.
var wideFolders = []string{".", ".local", ".local/share", ".local/lib", ".local/state", ".config", ".cache"}

// wide reports whether a folder is too much to be shown for a program's sake.
func (c *chooser) wide(dir string) bool {
	if end := c.end(dir); end != "" {
		dir = end
	}
	home := c.homeOf(dir)
	if home == "" {
		return slices.ContainsFunc(c.homes, func(h string) bool { return within(h, dir) }) || slices.Contains(OwnFolders, dir)
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, home), "/")
	if rel == "" {
		rel = "."
	}
	return slices.Contains(wideFolders, rel) || c.secret(dir)
}
