"""Cases as counts of the patterns that occur, and tables read from CSV files or DataFrames."""
