"""From a question to a reply: facts and figures, no words."""
