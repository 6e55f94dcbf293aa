"""The tables of a study: their columns, how they are read and written, and the evidence in them."""
