package proc

import "syscall"

// Unforked calls write while this program starts no other process. A program
// that is written while a process is forked is held open by that process until
// it has become another one, and whoever runs the program before that is told
// "text file busy" (ETXTBSY). Write, and close what was written, within.
func Unforked(write func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return write()
}
