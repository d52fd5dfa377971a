-- The log. Append only.
CREATE TABLE events (
  seq  INTEGER PRIMARY KEY CHECK (seq >= 1),
  at   INTEGER NOT NULL,                     -- microseconds since 1970, UTC
  by   TEXT NOT NULL CHECK (by <> ''),
  kind TEXT NOT NULL CHECK (kind <> ''),
  body TEXT NOT NULL CHECK (json_valid(body)),
  sum  INTEGER NOT NULL,                     -- CRC-32C of the row
  CHECK ((kind = 'opened') = (seq = 1))
) STRICT;
CREATE TRIGGER events_gapless BEFORE INSERT ON events
  WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events)
  BEGIN SELECT raise(ABORT, 'the log would have a gap'); END;
CREATE TRIGGER events_kept BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'the log is append only'); END;
CREATE TRIGGER events_never_deleted BEFORE DELETE ON events
  BEGIN SELECT raise(ABORT, 'the log is append only'); END;

-- Projections of the log.
CREATE TABLE head (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL CHECK (seq >= 1),
  body TEXT NOT NULL CHECK (json_valid(body)) -- clade.Head without its spec
) STRICT;
CREATE TABLE spec (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;
CREATE TABLE lives (
  id          INTEGER PRIMARY KEY CHECK (id >= 0),
  open        INTEGER NOT NULL CHECK (open IN (0, 1)),
  unjudged    INTEGER NOT NULL CHECK (unjudged IN (0, 1)),
  on_frontier INTEGER NOT NULL CHECK (on_frontier IN (0, 1)), -- of its epoch
  epoch       INTEGER NOT NULL CHECK (epoch >= 0),
  scored      INTEGER NOT NULL CHECK (scored IN (0, 1)),
  -- A NaN is bound as NULL, and an infinity is larger than the largest number.
  score       REAL NOT NULL CHECK (abs(score) <= 1.7976931348623157e308),
  body        TEXT NOT NULL CHECK (json_valid(body)),         -- clade.Life
  CHECK (scored = 1 OR score = 0),
  CHECK (on_frontier = 0 OR scored = 1),
  CHECK (id > 0 OR open = 0)
) STRICT;
CREATE INDEX lives_open ON lives (id) WHERE open = 1;
CREATE INDEX lives_unjudged ON lives (id) WHERE unjudged = 1;
CREATE INDEX lives_frontier ON lives (epoch, score, id) WHERE on_frontier = 1;
CREATE TABLE parents (
  parent INTEGER NOT NULL REFERENCES lives (id),
  child  INTEGER NOT NULL REFERENCES lives (id),
  PRIMARY KEY (parent, child),
  CHECK (parent < child)
) STRICT, WITHOUT ROWID;
CREATE TABLE notes (
  n    INTEGER PRIMARY KEY CHECK (n >= 1),
  kind TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)) -- clade.Note
) STRICT;
CREATE INDEX notes_kind ON notes (kind, n);

-- Samples that a crash must not pay twice.
CREATE TABLE samples (
  attempt   INTEGER NOT NULL,
  stage     INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  subject   INTEGER NOT NULL,
  tree      TEXT NOT NULL,
  evaluator TEXT NOT NULL,
  check_id  TEXT NOT NULL,
  case_id   TEXT NOT NULL,
  split     TEXT NOT NULL,
  replicate INTEGER NOT NULL,
  shared    INTEGER NOT NULL CHECK (shared IN (0, 1)), -- may serve other attempts
  body      TEXT NOT NULL CHECK (json_valid(body)),    -- clade.Sample
  PRIMARY KEY (attempt, stage, place, subject, tree, evaluator, check_id, case_id, split, replicate)
) STRICT, WITHOUT ROWID;
CREATE INDEX samples_shared ON samples (tree, evaluator, check_id, case_id, split, attempt) WHERE shared = 1;

-- Commits whose bytes are kept until the ledger has synced them.
CREATE TABLE pending (
  n      INTEGER PRIMARY KEY,
  commit_id TEXT NOT NULL UNIQUE CHECK (commit_id <> ''),
  tree   TEXT NOT NULL,
  stream BLOB NOT NULL
) STRICT;
