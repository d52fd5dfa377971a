package run

import (
	"fmt"
	"math"
)

// Number writes a value for people: six significant digits.
func Number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}

// Size writes a number of bytes for people: "1.4 MB".
func Size(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	x, units := float64(n), "kMGTPE"
	i := -1
	for x >= unit && i < len(units)-1 {
		x /= unit
		i++
	}
	return fmt.Sprintf("%.1f %cB", x, units[i])
}
