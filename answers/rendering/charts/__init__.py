"""Charts of replies: what they show, the SVG that says it, and the PNG that people look at."""
