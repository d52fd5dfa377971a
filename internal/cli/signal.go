package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible derives two contexts: the first signal cancels soft, the second
// hard as well. Until release a broken pipe is an error of whoever writes, not
// the end of the process: a search whose reader has gone keeps what it pays for.
func interruptible(ctx context.Context, tell func(times int)) (hard, soft context.Context, release func()) {
	hard, stopHard := context.WithCancel(ctx)
	soft, stopSoft := context.WithCancel(hard)
	signals, pipe := make(chan os.Signal, 4), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(pipe, syscall.SIGPIPE) // not Ignore, which the commands of a search would inherit
	done := make(chan struct{})
	go func() {
		for times := 1; ; times++ {
			select {
			case <-signals:
				if times == 1 {
					stopSoft()
				} else {
					stopHard()
				}
				tell(times)
			case <-done:
				return
			}
		}
	}()
	return hard, soft, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
		close(done)
		stopSoft()
		stopHard()
	}
}
