"""The sections of the summary of one's own data, one file each, named after its title."""
