package evo

import (
	"testing"
)

func TestDirectives(t *testing.T) {
	t.Parallel()
	r := recorded(t, "v08")
	data := r["end/run_0000/inject/events/workspace.jsonl"]
	all, next, err := ReadDirectives("workspace.jsonl", []byte(data+`{"schema_version":1,"id":"torn`))
	if err != nil || len(all) != 1 || next != len(data) {
		t.Fatal(all, next, err)
	}
	fresh := Directive{ID: all[0].ID, TS: all[0].TS, Text: "try the other half first"}
	if string(all[0].Line()) != data || string(fresh.Line()) != data {
		t.Errorf("%s%s want %s", all[0].Line(), fresh.Line(), data)
	}
	if got := DirectiveDoc(all[0].ID, &all[0], "", "2026-01-02T03:01:22+00:00", 2); got != r["direct-status/stdout"] {
		t.Errorf("%s want %s", got, r["direct-status/stdout"])
	}
	if got := DirectiveDoc("X", nil, "", "", 0); got != "event:    X\nqueued:   not found in workspace.jsonl\ndelivered:    (no record)\nacked:        (no ack yet)\n" {
		t.Error(got)
	}
	all, _, err = ReadDirectives("q.jsonl", []byte("{\"schema_version\":1,\"id\":\"A\",\"by\":\"me\"}\n\n[]\n{\"schema_version\":1,\"id\":\"B\"}\n"))
	if len(all) != 2 || err == nil || err.Error() != "q.jsonl:3:1:1: the file is a list, not a mapping" {
		t.Errorf("%v %v", all, err)
	}
	if got := string(all[0].Line()); got != "{\"schema_version\":1,\"id\":\"A\",\"by\":\"me\"}\n" {
		t.Error(got)
	}
}
