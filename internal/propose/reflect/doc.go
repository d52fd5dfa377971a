// Package reflect is the operator that has a model rewrite files: it shows the
// model the objective, the parent's files, what was seen of it and what was
// tried before, and applies the edits of its reply. A reply that is cut, makes no
// sense, does not fit the files or changes nothing is told to the model once
// more and otherwise refused, before any evaluation is paid for.
//
// # Replies
//
// A file is given whole, below a line that names it, between fences:
//
//	### FILE path/to/file
//	```
//	the whole new content
//	```
//
// or edited in place by one or more blocks, whose SEARCH part must occur exactly
// once in the file:
//
//	### EDIT path/to/file
//	<<<<<<< SEARCH
//	lines as they are
//	=======
//	lines as they shall be
//	>>>>>>> REPLACE
//
// and removed by a line "### DELETE path/to/file". A line "Summary: …" names the
// edit. Text around these is not read. Line endings of a file are kept.
package reflect
