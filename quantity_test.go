package clade_test

import (
	"testing"
	"time"

	"github.com/cladehq/clade"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]clade.Bytes{
		"0": 0, "1000": 1000, "64MiB": 64 << 20, "2 GiB": 2 << 30, "1.5KiB": 1536, "3kB": 3000, "7MB": 7e6, "1GB": 1e9, "12B": 12,
		" 5 ": 5, "9007199254740993": 9007199254740993, // one more than a float can hold
	} {
		var got clade.Bytes
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "MiB", "64mib", "64 M", "1e30", "NaN", "Inf", "9GiB9", "8589934592GiB"} {
		var got clade.Bytes
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
	for b, want := range map[clade.Bytes]string{0: "0", 1: "1", 1024: "1KiB", 1536: "1536", 3 << 30: "3GiB", 64 << 20: "64MiB"} {
		if got := b.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(b), got, want)
		}
	}
}

func FuzzBytes(f *testing.F) {
	for _, s := range []string{"64MiB", "1.5 GB", "0x1p4", "inf", "9007199254740993", "-0", "1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b, again clade.Bytes
		if b.UnmarshalText([]byte(s)) != nil {
			return
		}
		text, _ := b.MarshalText()
		if err := again.UnmarshalText(text); err != nil || again != b || b < 0 {
			t.Errorf("%q is %d, written %s, read again %d, %v", s, b, text, again, err)
		}
	})
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "0": 0, "1.5ms": 1500 * time.Microsecond} {
		var got clade.Duration
		if err := got.UnmarshalText([]byte(text)); err != nil || time.Duration(got) != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "90", "-1s", "1 s", "1d", "s", "9223372036855s"} {
		var got clade.Duration
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"1h30m", "0", "1.5ms", "-1s", "µs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var d, again clade.Duration
		if d.UnmarshalText([]byte(s)) != nil {
			return
		}
		text, _ := d.MarshalText()
		if err := again.UnmarshalText(text); err != nil || again != d || d < 0 {
			t.Errorf("%q is %v, written %s, read again %v, %v", s, d, text, again, err)
		}
	})
}
