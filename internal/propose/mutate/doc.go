// Package mutate is the operator that edits text without a model: classical
// genetic improvement of any text file that the spec allows, offline and with
// no knowledge of what the text means. What to do comes as an edit.Brief; this
// package finds the place in the parent's files and writes the new bytes. Bytes
// outside an edit stay as they are: line endings, a missing final newline and
// odd spacing survive. Files that are binary, not UTF-8 or over 1 MiB are left
// alone.
//
// # Numbers
//
// Decimal, hexadecimal, octal and binary integers stay integers in their base;
// floats keep their notation and get as many digits as the step gives meaning
// to. What merely looks like a number is passed over: parts of identifiers (x2),
// versions (v1.2.3, 1.2.3), dates, clock times, #123.
//
// # Tuned parameters
//
// A comment marks a value that CMA-ES may set:
//
//	marker  = "clade:tune" SPACE range | "clade:tune" SPACE choice
//	range   = NAME "=" LOW ".." HIGH { SPACE ( "log" | "int" ) }
//	choice  = NAME SPACE "choices=" VALUE { "," VALUE }
//	NAME    = letter or "_", then letters, digits, "_", "-", "."
//
// The marker stands behind the value on its line, or alone on the line above.
// With a range the value is the last number of that line; log needs LOW > 0 and
// searches the logarithm; int keeps whole numbers, and is implied by a value
// that is written as one. With choices the value is the last word, number or
// quoted text of the line that is one of them; quotes stay. Whatever follows the
// comment's end ("*/", "-->") is ignored. A marker that cannot be read, a name
// used twice and a value that is not there are warnings of the survey; the
// number is then an ordinary one.
//
//	const block = 32 // clade:tune block=1..1024 log int
//	mode: fast       # clade:tune mode choices=fast,small,none
//
// # Lines and tokens
//
// A line that opens a block (its brackets do not balance, or the next line is
// indented deeper) is deleted only with the block, and is never copied, replaced
// or swapped. Lines are exchanged and copied between places of the same
// indentation, and swapped within one block.
package mutate
