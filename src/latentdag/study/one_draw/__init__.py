"""Statistics of the scores on one draw of parameters and data."""
