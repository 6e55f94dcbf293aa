"""Time spans, and the progress of work, in words."""


def in_words(seconds: float) -> str:
    """A time span of ``seconds`` in words, as in "3 h": rounded, in days, h or min, the largest
    unit of which it has two or more, or else in s, at least "1 s".
    """
    for unit, name in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{max(seconds, 1):.0f} s"


def progress_in_words(done: float, total: float | None, things: str, spent: float) -> str:
    """In words, the share of the ``total`` work that is ``done`` and the time left; where ``total``
    is None, how many ``things``, a plural noun, are done. ``spent`` is the time so far, in seconds.
    """
    if total is None:
        return f"{done:.0f} {things} after {in_words(spent)}"
    share = min(done / total, 1.0)
    if share == 0:
        return f"0 % done after {in_words(spent)}"
    return f"{100 * share:.0f} % done, about {in_words(spent * (1 / share - 1))} left"
