package sqlite_test

import (
	"database/sql"
	"testing"
)

// execRaw runs SQL on a run's file behind the store's back.
func execRaw(t *testing.T, path, query string) error {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(query)
	return err
}

func tamper(t *testing.T, path, query string) {
	t.Helper()
	if err := execRaw(t, path, query); err != nil {
		t.Fatal(err)
	}
}
