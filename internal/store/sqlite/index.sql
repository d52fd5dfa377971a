CREATE TABLE runs (
  run   TEXT NOT NULL CHECK (run <> ''),
  state TEXT NOT NULL CHECK (state <> ''),
  place TEXT NOT NULL,
  at    INTEGER NOT NULL,                    -- microseconds since 1970, UTC
  PRIMARY KEY (run, state)
) STRICT, WITHOUT ROWID;
CREATE TABLE looks (
  dataset TEXT NOT NULL CHECK (dataset <> ''),
  run     TEXT NOT NULL CHECK (run <> ''),
  attempt INTEGER NOT NULL,
  look    INTEGER NOT NULL CHECK (look >= 1),
  PRIMARY KEY (dataset, run, attempt),
  UNIQUE (dataset, look)
) STRICT, WITHOUT ROWID;
