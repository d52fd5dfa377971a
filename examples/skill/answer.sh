#!/bin/sh
# answer.sh is the agent of this example: it reads a claim on standard input and
# does what SKILL.md says, to the letter. It knows three kinds of rule:
#
#   | mentions WORD  | ANSWER |   the claim has this word
#   | at least N EUR | ANSWER |   the claim's amount is N or more
#   | otherwise      | ANSWER |   always
#
# The first rule that fits decides; without one the answer is "unsure". What is
# no rule is prose, and ignored.
exec awk -F'|' '
	function trim(s) { gsub(/^[ \t]+|[ \t\r]+$/, "", s); return s }
	NR == FNR {
		claim = claim " " tolower($0)
		next
	}
	/^\|/ && NF >= 4 && !done {
		n = split(trim($2), word, /[ \t]+/)
		if (word[1] == "mentions" && n == 2 && has(tolower(word[2])) ||
		    word[1] == "at" && word[2] == "least" && word[4] == "EUR" && number(word[3]) && amount() >= word[3] + 0 ||
		    word[1] == "otherwise" && n == 1) {
			done = 1
			answer = trim($3)
		}
	}
	END { print (done ? answer : "unsure") }
	function has(w,    i, n, ws) {
		n = split(claim, ws, /[^a-z]+/)
		for (i = 1; i <= n; i++) if (ws[i] == w) return 1
		return 0
	}
	function amount(    s) {
		if (!match(claim, /[0-9]+(\.[0-9]+)? eur/)) return -1
		s = substr(claim, RSTART, RLENGTH - 4)
		return s + 0
	}
	function number(s) { return s ~ /^[0-9]+(\.[0-9]+)?$/ }
' - SKILL.md
