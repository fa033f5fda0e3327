"""What the bot remembers about servers: ``state.db``. Never what anybody wrote."""
