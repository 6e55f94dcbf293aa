"""How much of VB's error is ln M: its q(theta) lies about one mode of the posterior, and each of
the M relabelled copies of that mode holds as much again.
"""

import pandas as pd

from latentdag.study.schema.frames import by_method

COUNTED_BY = "vb_lr"  # the score that counts the copies of VB's mode


def copies(scores: pd.DataFrame) -> pd.DataFrame:
    """By n, means over the structures that have VB, its ln M and the reference, of one draw, in
    nats: ``error``, VB minus reference; ``log_copies``, ln M; ``rest``, VB + ln M minus reference;
    and ``share``, how much of the error ln M is (nan where there is no error).

    Also how many ``structures`` they are. Means, because they add up: error + log_copies = rest.
    Empty where one of the three did not run.
    """
    wide = by_method(scores, "score", ["n", "structure"])
    if not {"vb", "reference", COUNTED_BY} <= set(wide):
        return pd.DataFrame()
    counted = scores[scores["method"] == COUNTED_BY].set_index(["n", "structure"])["log_copies"]
    own = wide[["vb", "reference"]].assign(log_copies=counted.astype(float)).dropna()
    own["error"] = own["vb"] - own["reference"]
    own["rest"] = own["error"] + own["log_copies"]
    of_size = own.groupby(level="n")
    found = of_size[["error", "log_copies", "rest"]].mean()
    found["share"] = -found["log_copies"] / found["error"].where(found["error"] != 0)
    found["structures"] = of_size.size()
    return found
