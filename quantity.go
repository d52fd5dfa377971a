package clade

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that reads and writes as "1m30s"; a bare number
// in a file is refused, since it does not name its unit.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It refuses negatives.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no duration; write it like 90s, 5m or 1h30m", b)
	}
	*d = Duration(v)
	return nil
}

// Bytes is a number of bytes that reads and writes as "64MiB" or "1000".
type Bytes int64

var byteUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

func (b Bytes) String() string {
	for _, u := range byteUnits[:3] {
		if b != 0 && int64(b)%u.size == 0 {
			return strconv.FormatInt(int64(b)/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// MarshalText implements encoding.TextMarshaler.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It refuses negatives.
func (b *Bytes) UnmarshalText(text []byte) error {
	s, size := strings.TrimSpace(string(text)), int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			s, size = strings.TrimSpace(rest), u.size
			break
		}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 && n <= math.MaxInt64/size {
		*b = Bytes(n * size) // exact, where a float would not be
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || v*float64(size) > math.MaxInt64/2 {
		return fmt.Errorf("%q is no size; write it like 64MiB, 2GiB or 1000", text)
	}
	*b = Bytes(v * float64(size))
	return nil
}
