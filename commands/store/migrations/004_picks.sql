-- What moderators changed about the models that are recommended in their server.
CREATE TABLE pick (
  guild_id INTEGER NOT NULL,
  model TEXT NOT NULL CHECK (length(model) <= 80),
  use TEXT NOT NULL CHECK (use IN ('general', 'code', 'reasoning', 'vision', 'small')),
  action TEXT NOT NULL CHECK (action IN ('add', 'drop', 'pin')),
  PRIMARY KEY (guild_id, model, use)
) STRICT, WITHOUT ROWID;
