"""What the bot remembers about servers, and the machines that people saved: ``state.db``. Never what anybody wrote to it."""
