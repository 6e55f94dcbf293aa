"""Time spans in words."""


def in_words(seconds: float) -> str:
    """A time span in seconds, or from two minutes on in minutes."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
