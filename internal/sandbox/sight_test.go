package sandbox_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/cladehq/clade/internal/sandbox"
)

// home is what most homes of these tests hold.
var home = map[string]string{
	"/home/u/.ssh/id_ed25519": "", "/home/u/.netrc": "", "/home/u/.config/gh/hosts.yml": "", "/home/u/proj/app/.env": "",
	"/home/v/.ssh/id_rsa": "", "/root/.bashrc": "", "/etc/passwd": "", "/etc/shadow": "", "/etc/shadow-": "", "/etc/ssh/ssh_config": "",
	"/etc/ssh/ssh_host_rsa_key": "", "/usr/bin/sh": "", "/usr/local/bin/x": "", "/var/lib/docker/x": "", "/var/run": "→ /run", "/run/user/1/bus": "",
}

func with(more ...map[string]string) map[string]string {
	out := maps.Clone(home)
	for _, m := range more {
		maps.Copy(out, m)
	}
	return out
}

func lookup(env map[string]string) sandbox.Lookup {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

func TestSight(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files, env   map[string]string
		home         string
		always, read []string
		open         bool
		sees, not    []string
	}{
		"secrets of the machine and of homes": {
			sees: []string{"/etc/passwd", "/etc/ssh/ssh_config", "/usr/bin/sh", "/usr/local/bin/x"},
			not: []string{"/home/u/.ssh/id_ed25519", "/home/u/.netrc", "/home/u/proj/app/.env", "/home/v/.ssh/id_rsa", "/root/.bashrc",
				"/etc/shadow", "/etc/shadow-", "/etc/ssh/ssh_host_rsa_key", "/var/lib/docker/x", "/run/user/1/bus", "/tmp/x"},
		},
		"sockets that have a path": {
			files: map[string]string{"/srv/db.sock": "", "/srv/data": "", "/srv/mine.sock": "", "/proc/net/unix": "Num RefCount Protocol Flags Type St Inode Path\n" +
				"0: 00000002 00000000 00010000 0001 01 7 /srv/db.sock\n0: 00000003 00000000 00000000 0001 03 8\n0: 00000002 00000000 00010000 0001 01 9 @/srv/data\n" +
				"0: 00000002 00000000 00010000 0001 01 7 /srv/mine.sock\n0: 00000002 00000000 00010000 0001 01 7 /srv/gone.sock\n"},
			read: []string{"/srv/mine.sock"}, open: true,
			sees: []string{"/srv/data", "/srv/mine.sock", "/srv/gone.sock"}, not: []string{"/srv/db.sock"},
		},
		"home is shown": {
			open: true, always: []string{"/home/u/proj/app"},
			sees: []string{"/home/u/.ssh/id_ed25519", "/home/u/.config/gh/hosts.yml", "/root/.bashrc"},
			not:  []string{"/etc/shadow", "/var/lib/docker/x", "/home/u/proj/app/.env"},
		},
		"a home of its own place": {
			home: "/data/u", files: map[string]string{"/data/u/.aws/credentials": "", "/data/u/go/bin/tool": "", "/data/other": ""},
			sees: []string{"/data/u/go/bin/tool", "/data/other"}, not: []string{"/data/u/.aws/credentials", "/home/u/.netrc"},
		},
		"homes behind a link": {
			files: map[string]string{"/vol/home/u/.npmrc": "", "/vol/home/u/.cargo/bin/cargo": "", "/vol/home/u/.cargo/credentials.toml": ""},
			home:  "/people/u", env: map[string]string{"PATH": "/people/u/.cargo/bin"},
			sees: []string{"/vol/home/u/.cargo/bin/cargo"}, not: []string{"/vol/home/u/.npmrc", "/vol/home/u/.cargo/credentials.toml"},
		},
		"the root is a home": {
			home: "/", files: map[string]string{"/.ssh/id_rsa": "", "/.npmrc": "", "/app/x": ""},
			sees: []string{"/usr/bin/sh", "/app/x"}, not: []string{"/.ssh/id_rsa", "/.npmrc", "/root/.bashrc"},
		},
		"go": {
			files: map[string]string{"/home/u/go/bin/gopls": "", "/home/u/go/pkg/mod/m@v1/m.go": "", "/home/u/go/src/mine/key": ""},
			env:   map[string]string{"PATH": "/home/u/go/bin:/usr/bin"},
			sees:  []string{"/home/u/go/bin/gopls", "/home/u/go/pkg/mod/m@v1/m.go"}, not: []string{"/home/u/go/src/mine/key"},
		},
		"go elsewhere": {
			files: map[string]string{"/home/u/gopath/pkg/mod/m": "", "/home/u/mods/m": "", "/home/u/sdk/go1/bin/go": "", "/home/u/sdk/go1/lib/x": "", "/home/u/sdk/go1/src/fmt/f.go": ""},
			env:   map[string]string{"PATH": "/home/u/sdk/go1/bin", "GOPATH": "/home/u/gopath:/home/u/second", "GOMODCACHE": "/home/u/mods"},
			sees:  []string{"/home/u/gopath/pkg/mod/m", "/home/u/mods/m", "/home/u/sdk/go1/src/fmt/f.go"},
		},
		"rust": {
			files: map[string]string{"/home/u/.cargo/bin/cargo": "", "/home/u/.cargo/registry/cache/x": "", "/home/u/.cargo/credentials.toml": "",
				"/home/u/.cargo/credentials": "", "/home/u/.cargo/config.toml": "", "/home/u/.rustup/toolchains/s/bin/rustc": "", "/home/u/.rustup/settings.toml": ""},
			env:  map[string]string{"PATH": "/home/u/.cargo/bin"},
			sees: []string{"/home/u/.cargo/bin/cargo", "/home/u/.cargo/registry/cache/x", "/home/u/.rustup/toolchains/s/bin/rustc", "/home/u/.rustup/settings.toml"},
			not:  []string{"/home/u/.cargo/credentials.toml", "/home/u/.cargo/credentials", "/home/u/.cargo/config.toml"},
		},
		"pyenv": {
			files: map[string]string{"/home/u/.pyenv/shims/python": "", "/home/u/.pyenv/libexec/pyenv": "", "/home/u/.pyenv/versions/3/bin/python": "",
				"/home/u/.pyenv/.git/config": "", "/home/u/.pyenv/versions/3/pip.conf": "", "/home/u/.pyenv/version": ""},
			env:  map[string]string{"PATH": "/home/u/.pyenv/shims:/home/u/.pyenv/bin"},
			sees: []string{"/home/u/.pyenv/shims/python", "/home/u/.pyenv/libexec/pyenv", "/home/u/.pyenv/versions/3/bin/python", "/home/u/.pyenv/version"},
			not:  []string{"/home/u/.pyenv/.git/config", "/home/u/.pyenv/versions/3/pip.conf"},
		},
		"nvm": {
			files: map[string]string{"/home/u/.nvm/versions/node/v20/bin/node": "", "/home/u/.nvm/versions/node/v20/lib/node_modules/npm/x": "",
				"/home/u/.nvm/versions/node/v20/etc/npmrc": "", "/home/u/.nvm/versions/node/v22/etc/npmrc": ""},
			env:  map[string]string{"PATH": "/home/u/.nvm/versions/node/v20/bin"},
			sees: []string{"/home/u/.nvm/versions/node/v20/bin/node", "/home/u/.nvm/versions/node/v20/lib/node_modules/npm/x"},
			not:  []string{"/home/u/.nvm/versions/node/v20/etc/npmrc", "/home/u/.nvm/versions/node/v22/etc/npmrc"},
		},
		"volta, of root": {
			home:  "/root",
			files: map[string]string{"/root/.volta/bin/node": "", "/root/.volta/tools/image/node/20/bin/node": "", "/root/.volta/tools/image/node/20/etc/npmrc": "", "/root/.npmrc": ""},
			env:   map[string]string{"PATH": "/root/.volta/bin"},
			sees:  []string{"/root/.volta/bin/node", "/root/.volta/tools/image/node/20/bin/node"},
			not:   []string{"/root/.volta/tools/image/node/20/etc/npmrc", "/root/.npmrc"},
		},
		"asdf and mise": {
			files: map[string]string{"/home/u/.asdf/shims/x": "", "/home/u/.asdf/installs/ruby/3/bin/ruby": "", "/home/u/.local/share/mise/shims/node": "→ /home/u/.local/bin/mise",
				"/home/u/.local/bin/mise": "", "/home/u/.local/share/mise/installs/node/20/bin/node": "", "/home/u/.local/share/mise/installs/node/20/etc/npmrc": "", "/home/u/.local/bin/notes": ""},
			env:  map[string]string{"PATH": "/home/u/.asdf/shims:/home/u/.local/share/mise/shims"},
			sees: []string{"/home/u/.asdf/shims/x", "/home/u/.asdf/installs/ruby/3/bin/ruby", "/home/u/.local/share/mise/shims/node", "/home/u/.local/bin/mise", "/home/u/.local/share/mise/installs/node/20/bin/node"},
			not:  []string{"/home/u/.local/share/mise/installs/node/20/etc/npmrc", "/home/u/.local/bin/notes"},
		},
		"~/.local/bin": {
			files: map[string]string{"/home/u/.local/bin/own": "", "/home/u/.local/bin/claude": "→ /home/u/.local/share/claude/versions/2", "/home/u/.local/share/claude/versions/2": "",
				"/home/u/.local/bin/ruff": "→ ../share/uv/tools/ruff/bin/ruff", "/home/u/.local/share/uv/tools/ruff/bin/ruff": "", "/home/u/.local/share/uv/credentials/c.toml": "",
				"/home/u/.local/share/keyrings/k": "", "/home/u/.local/share/mail/m": "", "/home/u/.local/state/x": "", "/home/u/.local/bin/npmtool": "→ ../lib/node_modules/npmtool/bin/run.js",
				"/home/u/.local/lib/node_modules/npmtool/bin/run.js": "", "/home/u/.local/lib/node_modules/npmtool/lib/a.js": "", "/home/u/.local/lib/python3/x": "",
				"/home/u/.local/bin/mine": "→ ../../proj/mine/mine.sh", "/home/u/proj/mine/mine.sh": "", "/home/u/proj/mine/.env": "", "/home/u/.local/bin/opencode": "→ ../share/opencode/bin/opencode",
				"/home/u/.local/share/opencode/bin/opencode": "", "/home/u/.local/share/opencode/auth.json": "", "/home/u/.local/bin/trick": "→ ../../.netrc"},
			env: map[string]string{"PATH": "/home/u/.local/bin:/usr/bin"},
			sees: []string{"/home/u/.local/bin/own", "/home/u/.local/share/claude/versions/2", "/home/u/.local/share/uv/tools/ruff/bin/ruff",
				"/home/u/.local/lib/node_modules/npmtool/lib/a.js", "/home/u/proj/mine/mine.sh", "/home/u/.local/share/opencode/bin/opencode"},
			not: []string{"/home/u/.local/share/uv/credentials/c.toml", "/home/u/.local/share/keyrings/k", "/home/u/.local/share/mail/m", "/home/u/.local/state/x",
				"/home/u/.local/lib/python3/x", "/home/u/proj/mine/.env", "/home/u/.local/share/opencode/auth.json", "/home/u/.netrc"},
		},
		"installed in a prefix": {
			files: map[string]string{"/home/u/miniconda3/bin/python": "", "/home/u/miniconda3/lib/x": "", "/home/u/miniconda3/.condarc": "", "/home/u/.npm-global/bin/codex": "→ ../lib/node_modules/codex/c.js",
				"/home/u/.npm-global/lib/node_modules/codex/c.js": "", "/home/u/.npm-global/etc/npmrc": "", "/home/u/.config/yarn/global/node_modules/.bin/y": "→ ../y/y.js", "/home/u/.config/yarn/global/node_modules/y/y.js": ""},
			env: map[string]string{"PATH": "/home/u/miniconda3/condabin:/home/u/miniconda3/bin:/home/u/.npm-global/bin:/home/u/.config/yarn/global/node_modules/.bin"},
			sees: []string{"/home/u/miniconda3/bin/python", "/home/u/miniconda3/lib/x", "/home/u/.npm-global/lib/node_modules/codex/c.js",
				"/home/u/.config/yarn/global/node_modules/.bin/y", "/home/u/.config/yarn/global/node_modules/y/y.js"},
			not: []string{"/home/u/miniconda3/.condarc", "/home/u/.npm-global/etc/npmrc", "/home/u/.config/gh/hosts.yml"},
		},
		"a person's own work on PATH": {
			files: map[string]string{"/home/u/proj/tools/bin/t": "", "/home/u/proj/tools/lib/x": "", "/home/u/proj/tools/.git/config": "", "/home/u/bin/b": "", "/home/u/lib/x": "", "/home/u/src/bin/s": ""},
			env:   map[string]string{"PATH": "/home/u/proj/tools/bin:/home/u/bin:/home/u:/home/u/src/bin:relative:"},
			sees:  []string{"/home/u/proj/tools/bin/t", "/home/u/bin/b", "/home/u/src/bin/s"},
			not:   []string{"/home/u/proj/tools/lib/x", "/home/u/proj/tools/.git/config", "/home/u/lib/x", "/home/u/.netrc", "/home/u/proj/app/.env"},
		},
		"linked from the system's folders": {
			files: map[string]string{"/usr/local/bin/agent": "→ /root/.agent/node_modules/agent/cli.js", "/root/.agent/node_modules/agent/cli.js": "", "/root/.agent/node_modules/dep/d.js": "", "/root/.agent/auth.json": ""},
			env:   map[string]string{"PATH": "/usr/local/bin:/usr/bin"},
			sees:  []string{"/root/.agent/node_modules/agent/cli.js", "/root/.agent/node_modules/dep/d.js"}, not: []string{"/root/.agent/auth.json", "/root/.bashrc"},
		},
		"linked from a folder of the session": {
			files: map[string]string{"/run/user/1/fnm/1": "→ /home/u/.local/share/fnm/node-versions/v20/installation", "/home/u/.local/share/fnm/node-versions/v20/installation/bin/node": "",
				"/home/u/.local/share/fnm/node-versions/v20/installation/lib/x": ""},
			env:  map[string]string{"PATH": "/run/user/1/fnm/1/bin"},
			sees: []string{"/run/user/1/fnm/1/bin", "/home/u/.local/share/fnm/node-versions/v20/installation/lib/x"}, not: []string{"/run/user/1/bus"},
		},
		"never the target or clade's own, but what is asked for": {
			files: map[string]string{"/home/u/proj/app/.venv/bin/python": "", "/home/u/proj/app/.venv/lib/x": "", "/home/u/.cache/clade/t/x": "", "/home/u/data/set": "", "/home/u/proj/app/data/d": ""},
			env:   map[string]string{"PATH": "/home/u/proj/app/.venv/bin"}, always: []string{"/home/u/proj/app", "/home/u/.cache/clade"},
			read: []string{"/home/u/data", "/home/u/proj/app/data", "/home/u/.cache"},
			sees: []string{"/home/u/data/set", "/home/u/proj/app/data/d"}, not: []string{"/home/u/proj/app/.venv/bin/python", "/home/u/proj/app/.env", "/home/u/.cache/clade/t/x"},
		},
		"caches": {
			files: map[string]string{"/home/u/.m2/repository/a.jar": "", "/home/u/.m2/settings.xml": "", "/home/u/.gradle/caches/c": "", "/home/u/.gradle/gradle.properties": "", "/home/u/.nuget/packages/p": "", "/home/u/.nuget/NuGet/NuGet.Config": ""},
			sees:  []string{"/home/u/.m2/repository/a.jar", "/home/u/.gradle/caches/c", "/home/u/.nuget/packages/p"},
			not:   []string{"/home/u/.m2/settings.xml", "/home/u/.gradle/gradle.properties", "/home/u/.nuget/NuGet/NuGet.Config"},
		},
		"named by variables": {
			files: map[string]string{"/srv/keys/gcp.json": "", "/srv/keys/other": "", "/srv/kube": "", "/srv/docker.sock": "", "/srv/agent": "", "/opt/config/gh/hosts.yml": ""},
			env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "/srv/keys/gcp.json", "KUBECONFIG": "/srv/kube:/srv/kube2", "DOCKER_HOST": "unix:///srv/docker.sock",
				"SSH_AUTH_SOCK": "/srv/agent", "XDG_CONFIG_HOME": "/opt/config", "AWS_CONFIG_FILE": "/", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1/bus,guid=1"},
			sees: []string{"/srv/keys/other", "/usr/bin/sh", "/etc/passwd"},
			not:  []string{"/srv/keys/gcp.json", "/srv/kube", "/srv/docker.sock", "/srv/agent", "/opt/config/gh/hosts.yml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := with(c.files)
			if name == "homes behind a link" {
				files["/people"] = "→ vol/home"
			}
			if c.home == "" {
				c.home = "/home/u"
			}
			s := sandbox.Machine{Home: c.home, Lookup: lookup(c.env), Files: disk(files)}.Sight(c.always, c.read, c.open)
			for _, p := range c.sees {
				if !s.Sees(p) {
					t.Errorf("%s is not seen: %q", p, s)
				}
			}
			for _, p := range c.not {
				if s.Sees(p) {
					t.Errorf("%s is seen: %q", p, s)
				}
			}
		})
	}
}

func TestSightOrder(t *testing.T) {
	t.Parallel()
	s := sandbox.Machine{Home: "/home/u", Lookup: lookup(nil), Files: disk(with(map[string]string{"/home/u/go/bin/x": "", "/home/u/.m2/repository/x": ""}))}.Sight([]string{"/state"}, nil, false)
	want := sandbox.Sight{
		Hidden: []string{"/home", "/root", "/state", "/home/u", "/etc/shadow", "/etc/shadow-", "/var/lib/docker", "/etc/ssh/ssh_host_rsa_key"},
		Shown:  []string{"/home/u/go/bin", "/home/u/.m2/repository"},
	}
	if !slices.Equal(s.Hidden, want.Hidden) || !slices.Equal(s.Shown, want.Shown) {
		t.Errorf("%q, want %q", s, want)
	}
}

// The real machine can be looked at, whoever it belongs to.
func BenchmarkSight(b *testing.B) {
	home, err := os.UserHomeDir()
	if err != nil {
		b.Skip(err)
	}
	m := sandbox.Machine{Home: home, Lookup: os.LookupEnv, Files: os.DirFS("/")}
	for b.Loop() {
		m.Sight(nil, nil, false)
	}
	b.Log(m.Sight(nil, nil, false))
}
