package native

import "testing"

// BenchmarkRead reads the spec of the corpus that says everything.
func BenchmarkRead(b *testing.B) {
	for _, g := range goldens(b) {
		if g.name != "good/everything" {
			continue
		}
		b.SetBytes(int64(len(g.data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := New().Read(g.file, g.data); err != nil {
				b.Fatal(err)
			}
		}
	}
}
