//go:build !unix

package sandbox

import "io/fs"

// held is what a file takes on disk, bytes.
func held(info fs.FileInfo) int64 { return info.Size() + inode }
