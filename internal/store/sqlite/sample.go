package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cladehq/clade"
	"github.com/cladehq/clade/internal/evaluate"
	"github.com/cladehq/clade/internal/store"
)

// keep writes a sample; a later one of the same key replaces it. A failure is
// never shared, whatever the caller says.
func keep(s *session, k store.Kept) error {
	body, err := json.Marshal(k.Sample)
	if err != nil {
		return err
	}
	key := k.Key
	return s.exec(`INSERT OR REPLACE INTO samples
		(attempt, stage, place, subject, tree, evaluator, check_id, case_id, split, replicate, shared, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		int(key.Attempt), key.Stage, key.Place, int(key.Subject), key.Tree, key.Evaluator, key.Check, key.Case,
		key.Split, key.Replicate, k.Share && k.Sample.Class == clade.OK, string(body))
}

// Recall implements store.Log: the attempt's own sample first, then, with
// share, the oldest attempt's that measured the same.
func (l *Log) Recall(ctx context.Context, k evaluate.Key, share bool) (sample clade.Sample, ok bool, err error) {
	s, err := l.reader(ctx)
	if err != nil {
		return sample, false, problem(l.path, err)
	}
	defer l.release(s)
	sample, ok, err = own(s, k)
	if err == nil && !ok && share {
		sample, ok, err = shared(s, k)
	}
	if err != nil {
		return clade.Sample{}, false, problem(l.path, fmt.Errorf("recall sample of %s: %w", k.Check, err))
	}
	return sample, ok, nil
}

func own(s *session, k evaluate.Key) (clade.Sample, bool, error) {
	var body []byte
	err := s.row(`SELECT body FROM samples WHERE attempt = ? AND stage = ? AND place = ? AND subject = ? AND tree = ?
		AND evaluator = ? AND check_id = ? AND case_id = ? AND split = ? AND replicate = ?`,
		int(k.Attempt), k.Stage, k.Place, int(k.Subject), k.Tree, k.Evaluator, k.Check, k.Case, k.Split, k.Replicate).Scan(&body)
	return decodeSample(body, err)
}

// shared never finds the attempt's own sample of another place, stage or
// replicate: that would be one reading counted twice.
func shared(s *session, k evaluate.Key) (clade.Sample, bool, error) {
	var body []byte
	var attempt clade.ID
	err := s.row(`SELECT attempt, body FROM samples WHERE shared = 1 AND tree = ? AND evaluator = ? AND check_id = ?
		AND case_id = ? AND split = ? AND attempt <> ? ORDER BY attempt, stage, place, replicate LIMIT 1`,
		k.Tree, k.Evaluator, k.Check, k.Case, k.Split, int(k.Attempt)).Scan(&attempt, &body)
	sample, ok, err := decodeSample(body, err)
	if ok && sample.PaidBy == 0 {
		sample.PaidBy = attempt
	}
	return sample, ok, err
}

func decodeSample(body []byte, err error) (sample clade.Sample, ok bool, _ error) {
	if errors.Is(err, sql.ErrNoRows) {
		return sample, false, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &sample)
	}
	return sample, err == nil, err
}
