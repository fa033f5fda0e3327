-- A machine that a person saved. An empty column was not said; a person's only machine may have no name.
CREATE TABLE rig (
  user_id INTEGER NOT NULL,
  machine TEXT NOT NULL CHECK (length(machine) <= 32),
  cards TEXT NOT NULL CHECK (json_valid(cards)),
  memory_gb REAL CHECK (memory_gb > 0),
  n_cards INTEGER NOT NULL CHECK (n_cards BETWEEN 1 AND 64),
  unified INTEGER NOT NULL CHECK (unified IN (0, 1)),
  free_gb REAL CHECK (free_gb > 0),
  ram_gb REAL CHECK (ram_gb > 0),
  ram_gb_s REAL CHECK (ram_gb_s > 0),
  context INTEGER CHECK (context BETWEEN 1 AND 100000000),
  runner TEXT,
  visible INTEGER NOT NULL CHECK (visible IN (0, 1)),
  in_use INTEGER NOT NULL CHECK (in_use IN (0, 1)),
  PRIMARY KEY (user_id, machine)
) STRICT, WITHOUT ROWID;
