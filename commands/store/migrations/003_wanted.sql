-- Names that several people asked for and the catalogue does not have: how many people, and neither who nor in what words.
CREATE TABLE wanted (
  kind TEXT NOT NULL CHECK (kind IN ('model', 'card')),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 3 AND 40),
  people INTEGER NOT NULL CHECK (people > 0),
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
