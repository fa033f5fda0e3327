-- What moderators set for a server. Empty columns were not set.
CREATE TABLE server (
  guild_id INTEGER PRIMARY KEY,
  language TEXT,
  context INTEGER CHECK (context BETWEEN 1 AND 100000000),
  min_quality TEXT,
  log_channel_id INTEGER
) STRICT;

-- What they set for one channel of it.
CREATE TABLE channel (
  guild_id INTEGER NOT NULL,
  channel_id INTEGER NOT NULL,
  mode TEXT CHECK (mode IN ('off', 'private', 'short', 'full', 'questions')),
  language TEXT,
  PRIMARY KEY (guild_id, channel_id)
) STRICT, WITHOUT ROWID;

-- What the bot has to know about itself after a restart.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
