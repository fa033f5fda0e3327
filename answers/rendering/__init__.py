"""From a reply to a message in a locale."""
