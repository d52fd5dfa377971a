package evaluate

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"1": 1, "-2.5": -2.5, " \t3e2\r\n": 300, "0": 0, "0.000": 0, "0e999": 0, "1E-2": 0.01,
		"5e-324": 5e-324, "1.7976931348623157e308": math.MaxFloat64, "123456789012345678901234567890": 1.2345678901234568e29,
	} {
		if got, err := Number([]byte(text)); err != nil || got != want {
			t.Errorf("Number(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestNumberMinusZeroIsZero(t *testing.T) { // F40
	t.Parallel()
	for _, text := range []string{"-0", "-0.0", "-0e5"} {
		if got, err := Number([]byte(text)); err != nil || got != 0 || math.Signbit(got) {
			t.Errorf("Number(%q) = %v, %v; want +0", text, got, err)
		}
	}
}

// F40, F41: what strconv takes and JSON does not, and numbers that lie.
func TestNumberRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " \n", "NaN", "nan", "Inf", "+Infinity", "-inf", "infinity", "0x1p-2", "0x10", "1_000", "1e999", "-1e999", "1e-400", "-4e-400",
		"+1", "01", "-01", "1.", ".5", "1e", "1e+", "--1", "-", "- 1", "1,234.5", "1.234,5", "12 ms", "12ms", "95%", "$3",
		"1 2", "1\n2", "10%\r50%\r0.5", "\r\n1\r2", "\x1b[32m0.5\x1b[0m", "true", "null", `"1"`, "[1]", "{}", "score: 1", "1\x00", "\ufeff1",
		"\u00a01", "１", "٣", strings.Repeat("1", longest+1), "\xff\xfe",
	} {
		got, err := Number([]byte(text))
		if err == nil {
			t.Errorf("Number(%q) = %v, want an error", text, got)
		} else if len(err.Error()) > 500 {
			t.Errorf("Number(%.20q…): the error has %d bytes", text, len(err.Error()))
		}
	}
}

func TestNumberErrorQuotesTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1,234.5":               `"1,234.5"`,
		"\x1b[32m7\x1b[0m":      `"\x1b[32m7\x1b[0m"`,
		"first\nsecond":         `"first"…`,
		strings.Repeat("x", 99): `"` + strings.Repeat("x", 80) + `"…`,
	} {
		if _, err := Number([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Number(%q): %v does not quote %s", text, err, want)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", "-0", "1e-400", "0x1p-2", "1_0", " 12 ", "NaN", "1e5", "00", "-.5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Number(text)
		if err != nil {
			return
		}
		s := strings.Trim(string(text), " \t\r\n")
		want, perr := strconv.ParseFloat(s, 64)
		if perr != nil || want != got || math.IsNaN(got) || math.IsInf(got, 0) || math.Signbit(got) && got == 0 {
			t.Errorf("Number(%q) = %v; strconv says %v, %v", text, got, want, perr)
		}
		if strings.ContainsAny(s, "xX_+iInN") && !strings.ContainsAny(s, "eE") {
			t.Errorf("Number(%q) took what is no JSON number", text)
		}
		if again, err := Number([]byte(strconv.FormatFloat(got, 'g', -1, 64))); err == nil && again != got {
			t.Errorf("%v reads back as %v", got, again)
		}
	})
}
