"""What a study makes of scores: frames in, frames out.

`schema` declares the tables, and reads and writes them. `design` has the draws and the model of a
study, and reads and writes the files of its cases; `settings` completes and checks its
configuration. `one_draw` has the statistics of one set of parameters and data, `many_draws` those
of a population of them, `own_data` those of a table of one's own, `teaching` what figures for
teaching show. `paper` has the claims of the paper and of others, and when a run agrees with them.
"""
