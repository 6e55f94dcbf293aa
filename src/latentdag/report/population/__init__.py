"""The sections of the summary of a population of draws, one file each, named after its title."""
