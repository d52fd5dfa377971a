package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// systemSecrets are what no program of a command needs of the machine: keys,
// passwords, other people's data, sockets that give power over the machine. They
// are patterns; what a user may not read anyway is listed for root's sake.
var systemSecrets = []string{
	// passwords and keys
	"/etc/shadow*", "/etc/gshadow*", "/etc/sudoers", "/etc/sudoers.d", "/etc/security/opasswd", "/etc/krb5.keytab",
	"/etc/ssh/ssh_host_*", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/pki/private", "/etc/letsencrypt",
	"/etc/credstore", "/etc/credstore.encrypted", "/etc/crypttab", "/etc/luks", "/var/lib/systemd/credential.secret",
	// networks
	"/etc/wireguard", "/etc/openvpn", "/etc/ipsec.secrets", "/etc/ipsec.d", "/etc/ppp", "/etc/wpa_supplicant", "/etc/netplan",
	"/etc/NetworkManager/system-connections", "/var/lib/NetworkManager", "/var/lib/tailscale", "/var/lib/bluetooth",
	// clouds, containers, clusters
	"/var/lib/cloud", "/etc/cloud", "/var/lib/waagent", "/var/lib/google", "/var/lib/amazon", "/etc/boto.cfg",
	"/etc/docker", "/var/lib/docker", "/etc/containerd", "/var/lib/containerd", "/var/lib/containers", "/etc/containers/auth.json",
	"/etc/kubernetes", "/var/lib/kubelet", "/etc/rancher", "/var/lib/rancher", "/var/run", "/var/snap",
	// services
	"/etc/gitlab", "/etc/gitlab-runner", "/var/lib/jenkins", "/etc/mysql/debian.cnf", "/var/lib/mysql", "/var/lib/postgresql",
	"/var/lib/redis", "/etc/postfix/sasl_passwd*", "/etc/exim4/passwd.client", "/etc/samba", "/var/lib/samba",
	"/etc/sssd", "/var/lib/sss", "/var/lib/private", "/var/lib/AccountsService",
	// traces
	"/var/log", "/var/mail", "/var/spool", "/var/backups", "/var/crash", "/var/lib/systemd/coredump", "/etc/environment", "/etc/environment.d",
}

// secretVariables name files and folders that hold credentials.
var secretVariables = []string{
	"XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "GNUPGHOME", "NETRC", "XAUTHORITY", "HISTFILE", "PASSWORD_STORE_DIR",
	"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_CONFIG_DIR", "CLOUDSDK_CONFIG",
	"GOOGLE_APPLICATION_CREDENTIALS", "KUBECONFIG", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "TF_CLI_CONFIG_FILE", "GH_CONFIG_DIR",
	"NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "PIP_CONFIG_FILE", "PGPASSFILE", "PGSERVICEFILE", "MYSQL_HOME", "BOTO_CONFIG",
	"VAULT_TOKEN_FILE", "SOPS_AGE_KEY_FILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
}

// socketVariables name sockets that give power over the machine, as addresses.
var socketVariables = []string{"DOCKER_HOST", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"}

// homeSecrets are the places of credentials in a home folder. They stay hidden
// where a folder around them is shown.
var homeSecrets = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".oci", ".config", ".docker", ".kube", ".netrc", "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc",
	".git-credentials", ".gitconfig", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".env",
	".cargo/credentials", ".cargo/credentials.toml", ".cargo/config", ".cargo/config.toml", ".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties", ".gradle/init.d", ".gem/credentials", ".bundle/config", ".composer/auth.json", ".hex/hex.config",
	".hex/cache.ets", ".nuget/NuGet", ".sbt/credentials", ".sbt/.credentials", ".ivy2/.credentials", ".julia/servers",
	".terraform.d", ".terraformrc", ".vault-token", ".pulumi", ".fly", ".netlify", ".vercel", ".pgpass", ".my.cnf", ".mylogin.cnf",
	".boto", ".s3cfg", ".databrickscfg", ".kaggle", ".huggingface", ".condarc", ".cabal/config", ".password-store", ".mozilla", ".thunderbird", ".jupyter",
	".claude", ".claude.json", ".codex", ".gemini", ".copilot", ".aider.conf.yml", ".local/share/keyrings",
	".local/share/uv/credentials", ".local/share/opencode", ".local/share/gh", ".local/share/kwalletd", ".local/share/containers",
}

// toolSecrets are the names of credentials at the top of a tool's folder, as
// patterns. A repository's .git may hold the key that it was fetched with.
var toolSecrets = []string{".git", ".env*", ".npmrc", "etc/npmrc", ".netrc", ".pypirc", ".git-credentials", "credentials*", "auth.json", "pip.conf", ".condarc", ".ssh", ".aws"}

// nestedSecrets are files below tools' folders in a home that tools write
// credentials to, as patterns.
var nestedSecrets = []string{".nvm/versions/node/*/etc/npmrc", ".volta/tools/image/node/*/etc/npmrc", ".local/share/mise/installs/node/*/etc/npmrc",
	".asdf/installs/nodejs/*/etc/npmrc", ".local/share/fnm/node-versions/*/installation/etc/npmrc", ".nodenv/versions/*/etc/npmrc", ".pyenv/versions/*/pip.conf"}

// secrets are the machine's secrets that are there.
func (m Machine) secrets() (out []string) {
	for _, pattern := range systemSecrets {
		out = append(out, m.glob(pattern)...)
	}
	for _, name := range secretVariables {
		out = append(out, m.variable(name))
	}
	for _, name := range socketVariables {
		v, _ := m.Lookup(name)
		if _, p, ok := strings.Cut(v, "unix:"); ok {
			p = strings.TrimPrefix(p, "path=")
			p, _, _ = strings.Cut(p, ",")
			out = append(out, "/"+strings.TrimLeft(p, "/"))
		}
	}
	out = m.resolve(append(out, m.sockets()...))
	return slices.DeleteFunc(out, func(p string) bool { return holdsSystem(p) || !m.exists(p) || innermost(OwnFolders, p) != "" })
}

// sockets are where the machine's programs listen now. A network namespace does
// not keep a command from a socket that has a path.
func (m Machine) sockets() (out []string) {
	table, err := fs.ReadFile(m.Files, "proc/net/unix")
	if err != nil {
		return nil // not Linux
	}
	for line := range strings.Lines(string(table)) {
		// Num RefCount Protocol Flags Type St Inode Path
		if i := strings.Index(line, " /"); i >= 0 {
			out = append(out, strings.TrimSuffix(line[i+1:], "\n"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// credentials are those in what is shown, and all of a home that cannot be
// hidden.
func (c *chooser) credentials() (out []string) {
	homes := append(slices.Clone(c.homes), c.resolve([]string{c.Home})...)
	for _, s := range c.shown {
		for _, pattern := range toolSecrets {
			out = append(out, c.glob(path.Join(escape(s), pattern))...)
		}
		if h := c.homeOf(s); h != "" {
			homes = append(homes, h)
		}
	}
	for _, h := range byLength(homes) {
		for _, pattern := range slices.Concat(homeSecrets, nestedSecrets) {
			out = append(out, c.glob(path.Join(escape(h), pattern))...)
		}
	}
	seen := Sight{c.hidden, c.shown}
	return slices.DeleteFunc(c.resolve(out), func(p string) bool { return !seen.Sees(p) })
}

// secret reports whether a path is one of a home's credentials itself.
func (c *chooser) secret(p string) bool {
	home := c.homeOf(p)
	return home != "" && slices.Contains(homeSecrets, strings.TrimPrefix(p, home+"/"))
}

// glob lists what a pattern of absolute paths matches.
func (m Machine) glob(pattern string) (out []string) {
	found, _ := fs.Glob(m.Files, inside(pattern)) // only a malformed pattern is an error
	for _, f := range found {
		out = append(out, path.Join("/", f))
	}
	return out
}

// escape makes a path a pattern that matches it only.
func escape(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}
