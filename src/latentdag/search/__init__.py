"""Rankings of structures, the prior over them, and two searches where they are many."""
