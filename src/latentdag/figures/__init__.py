"""The figures of a study: pure functions from tables to a matplotlib Figure.

Each figure is a file with one public function of the same name, such as `rank.rank`, which takes
tables (DataFrames) by their names and reads only these. `style` says how scores look and saves
figures, `layout` places what is on a page, `graph` draws a structure. Which scores a figure draws,
in which order and under which names, is declared with the scores: see `Spec.figures`.
"""
