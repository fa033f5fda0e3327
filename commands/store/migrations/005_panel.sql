-- The pinned message with buttons that moderators put up in their server, so that the next one takes its place.
CREATE TABLE panel (
  guild_id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL,
  message_id INTEGER NOT NULL
) STRICT;
