package clade_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/cladehq/clade"
)

func TestMicrodollars(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]clade.Microdollars{
		"2.50": 2_500_000, "0": 0, "0.000001": 1, "12": 12_000_000, `"3.5"`: 3_500_000, "-0.25": -250_000, `"1."`: 1_000_000,
		"9223372036854.775807": math.MaxInt64,
	} {
		var got clade.Microdollars
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"0.0000001", "1e3", `"x"`, `""`, `"+1"`, `"--1"`, `"1,50"`, `"$2"`, `" 2"`, "true", "[]", "9223372036854.775808", `"0x10"`, `"."`,
	} {
		var got clade.Microdollars
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
	for m, want := range map[clade.Microdollars]string{
		0: "0.00", 1: "0.000001", 2_500_000: "2.50", -1_230_000: "-1.23", 1_234_567: "1.234567", 7_000_000: "7.00",
	} {
		if got := m.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(m), got, want)
		}
	}
}

func FuzzMicrodollars(f *testing.F) {
	for _, s := range []string{"2.50", "-0.000001", `"3"`, "1e3", ".", "+1", "9223372036854.775807", "null"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var m, again clade.Microdollars
		if m.UnmarshalJSON([]byte(s)) != nil {
			return
		}
		b, err := json.Marshal(m)
		if err != nil || json.Unmarshal(b, &again) != nil || again != m {
			t.Errorf("%q is %d, written %s, read again %d", s, m, b, again)
		}
	})
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	a := clade.Amount{Microdollars: 5, Tokens: 1, Calls: 2, Wall: time.Second}
	b := clade.Amount{Microdollars: 2, Tokens: 3, Calls: 2, Unknown: true}
	if got := a.Plus(b); got != (clade.Amount{Microdollars: 7, Tokens: 4, Calls: 4, Wall: time.Second, Unknown: true}) {
		t.Errorf("sum %+v", got)
	}
	if got := a.Minus(b); got != (clade.Amount{Microdollars: 3, Wall: time.Second}) {
		t.Errorf("difference %+v", got)
	}
	if (clade.Amount{Unknown: true}).IsZero() || !(clade.Amount{}).IsZero() || a.IsZero() {
		t.Error("unknown is not zero")
	}
}

// I3a: what is too much to count is the most that can be counted, and never
// negative.
func TestAmountsNeverWrap(t *testing.T) {
	t.Parallel()
	all := clade.Amount{Microdollars: math.MaxInt64, Tokens: math.MaxInt64, Calls: math.MaxInt64, Wall: math.MaxInt64}
	if got := all.Plus(all); got != all {
		t.Errorf("sum %+v", got)
	}
	if got := all.Plus(clade.Amount{Microdollars: -5}).Microdollars; got != math.MaxInt64-5 {
		t.Errorf("a negative part makes %d", got)
	}
	if got := (clade.Amount{}).Minus(all).Minus(all); got != (clade.Amount{}) {
		t.Errorf("difference %+v", got)
	}
	if got := (clade.Amount{Assumed: true}).Plus(clade.Amount{}).Minus(clade.Amount{}); !got.Assumed {
		t.Error("what is assumed is forgotten")
	}
}
