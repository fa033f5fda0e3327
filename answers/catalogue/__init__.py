"""The facts: what is on file about models and cards, and how they are found."""
