"""The sections of a study's summary, one file each, named after its title."""
