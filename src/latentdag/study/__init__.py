"""What a study makes of scores. `columns` declares its tables, `tables` writes and reads them;
`paper` holds what the paper found, `claims` when a run agrees with it; every other module computes
statistics, frames in and frames out.
"""
