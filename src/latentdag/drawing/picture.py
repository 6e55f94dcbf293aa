"""A figure that a notebook shows, without pyplot and without a magic command."""

from io import BytesIO

from matplotlib.figure import Figure

from latentdag.drawing import style


class Picture(Figure):
    """A figure of matplotlib that Jupyter shows where it is the last value of a cell."""

    @style.styled
    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The picture as PNG, of 200 dots per inch, and the width in pixels at which to show it:
        half of its own, so that it is sharp on fine screens.
        """
        file = BytesIO()
        self.savefig(file, format="png", dpi=style.RC["savefig.dpi"])
        width = round(self.get_figwidth() * style.RC["savefig.dpi"] / 2)
        return file.getvalue(), {"width": width}
