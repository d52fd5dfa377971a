#!/bin/sh
# compare.sh runs the packing example once per seed, and uniform random search with
# the same checker and as many evaluations beside it.
#
#   examples/packing/compare.sh [-n EVALUATIONS] [SEED...]
#
# Without arguments: 10,000 evaluations for each of the seeds 1 to 5. Needs clade,
# Go and git on PATH. It prints a line per seed and ends with one line of JSON.
# The runs are kept in a temporary folder and removed.
set -eu
n=10000
if [ "${1-}" = -n ]; then
	n=$2
	shift 2
fi
[ $# -gt 0 ] || set -- 1 2 3 4 5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_STATE_HOME="$work/state" # or the index would list runs that are gone
mkdir "$work/packing"
cp -R "$here/packing.txt" "$here/clade.yaml" "$here/checker" "$work/packing/"
cd "$work/packing"
go build -o "$work/check" checker/main.go checker/packing.go checker/random.go

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { m = int((NR + 1) / 2); print NR % 2 ? v[m] : (v[m] + v[m + 1]) / 2 }'; }
score() { sed 's/.*"score": *\([0-9.]*\).*/\1/'; }

for seed; do
	start=$(date +%s)
	clade run --json --candidates "$n" --seed "$seed" > "$work/log" 2> "$work/err" || { cat "$work/err" >&2; exit 1; }
	took=$(($(date +%s) - start))
	# The winner is measured again here, by hand.
	clade apply --yes > /dev/null 2>&1
	evolved=$("$work/check" packing.txt | score)
	clade undo > /dev/null
	random=$("$work/check" -random "$n" -seed "$seed" | score)
	echo "seed $seed: clade $evolved in $took s, random search $random"
	echo "$evolved" >> "$work/evolved"
	echo "$random" >> "$work/random"
	echo "$took" >> "$work/seconds"
done
printf '{"evaluations": %d, "seeds": %d, "clade_median": %s, "random_median": %s, "seconds_median": %s}\n' \
	"$n" "$#" "$(median "$work/evolved")" "$(median "$work/random")" "$(median "$work/seconds")"
