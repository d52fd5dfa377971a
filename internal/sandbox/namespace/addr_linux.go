package namespace

import "unsafe"

const reportSize = unsafe.Sizeof(report{})

// addr is the address of something on the heap, where nothing moves, as a
// system call takes it.
//
//go:nosplit
//go:norace
//go:nocheckptr
func addr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
