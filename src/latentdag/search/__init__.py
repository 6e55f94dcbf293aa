"""Rankings of structures, the prior over them, and a search where they are many."""
