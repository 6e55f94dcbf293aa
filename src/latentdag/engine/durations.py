"""Time spans in words."""


def in_words(seconds: float) -> str:
    """A time span in the largest unit of which it has two or more."""
    for unit, name in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{max(seconds, 1):.0f} s"
