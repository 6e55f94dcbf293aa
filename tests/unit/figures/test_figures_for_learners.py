"""The figures for learners: every point, gap and colour that they draw is of its row."""

import numpy as np
import pandas as pd
import pytest
from figure_reading import artist, artists, assert_tidy, band, keys, names, points
from figure_tables import TRUE, shuffled

from latentdag.figures.climb import climb as draw_climb
from latentdag.figures.equal_modes import equal_modes as draw_equal_modes

pytestmark = pytest.mark.slow

N = {"EM": 40, "VBEM": 9}  # iterations


def climbing(draw):
    """EM begins far below the axis; every value is another."""
    rows, first = [], -900.0 - 50 * draw
    for algorithm, iterations in N.items():
        for i in range(iterations):
            for half_step in "EM":
                k = 2 * i + (half_step == "M")
                bound = first + 30 - 25 / (1 + k) if k else first - 700
                target = bound + (half_step == "M") * 9 / (1 + k)
                row = (draw, 480, TRUE, algorithm, i, half_step, bound)
                if algorithm == "EM" or k:
                    rows.append((*row, target if algorithm == "EM" else np.nan))
    return rows


COLUMNS = ["draw", "n", "structure", "algorithm", "iteration", "half_step", "bound", "target"]
CLIMB = shuffled(pd.DataFrame([*climbing(0), *climbing(1)], columns=COLUMNS))
EVIDENCE = pd.DataFrame(
    [(draw, n, s, -851.25 - 50 * draw - (n != 480) - 3 * (s != TRUE), 0.25 + draw)
     for draw in (0, 1) for n in (480, 80) for s in (TRUE, "1-1-1-1")],
    columns=["draw", "n", "structure", "log_evidence", "standard_error"],
)  # fmt: skip


def own(algorithm, draw=0):
    here = CLIMB[(CLIMB["draw"] == draw) & (CLIMB["algorithm"] == algorithm)]
    here = here.assign(place=2 * here["iteration"] + (here["half_step"] == "M"))
    return here.sort_values("place")


@pytest.mark.parametrize("draw", [0, 1])
def test_the_first_half_steps_are_drawn_one_by_one(draw):
    figure = draw_climb(CLIMB, EVIDENCE, draw)
    texts = assert_tidy(figure)
    level = -851.25 - 50 * draw
    for algorithm in N:
        rows = own(algorithm, draw)
        rows = rows[(rows["place"] < 10) & (rows["place"] > 0)]
        line = artist(figure, f"steps-{algorithm}")
        assert points(line) == list(zip(rows["place"], rows["bound"], strict=True))
        above = rows["target"] if algorithm == "EM" else pd.Series(level, rows.index)
        gaps = artist(figure, f"gap-{algorithm}").get_segments()
        expected = zip(rows["place"], rows["bound"], above, strict=True)
        assert [((a[0], *sorted([a[1], b[1]]))) for a, b in gaps] == list(expected)
        labels = [label.get_text() for label in line.axes.get_xticklabels()]
        assert (
            labels == ["E0", "M0", "E1", "M1", "E2", "M2", "E3", "M3", "E4", "M4"][-len(labels) :]
        )
        assert len(labels) == (10 if algorithm == "EM" else 9)
    rows = own("EM", draw)[1:10]
    expected = list(zip(rows["place"], rows["target"], strict=True))
    assert points(artist(figure, "target-steps")) == expected
    assert f"← at −{1600 + 50 * draw}.0" in texts  # E0 is far below the axis
    assert len(artists(figure, "far below")) == 1


@pytest.mark.parametrize("draw", [0, 1])
def test_all_iterations_are_drawn_with_their_gaps(draw):
    figure = draw_climb(CLIMB, EVIDENCE, draw)
    level, error = -851.25 - 50 * draw, 0.25 + draw
    for algorithm, iterations in N.items():
        rows = own(algorithm, draw).query("half_step == 'M'")
        line = artist(figure, f"bound-{algorithm}")
        x = range(1, iterations + 1)
        assert points(line) == list(zip(x, rows["bound"], strict=True))
        above = rows["target"] if algorithm == "EM" else [level] * iterations
        expected = dict(zip(x, zip(rows["bound"], above, strict=True), strict=True))
        assert band(artist(figure, f"gaps-{algorithm}")) == {
            at: pytest.approx(ends) for at, ends in expected.items()
        }
        assert line.axes.get_xscale() == "log"
        last = rows["bound"].iloc[-1]
        name = f"F = −{-last:.1f}\nafter {iterations} iterations"
        assert names(line.axes)[name][1] == pytest.approx(last)
    name = f"ln evidence\n−{-level:.1f} ± {2 * error:.1f}"
    assert names(line.axes)[name][1] == pytest.approx(level)
    assert {tuple(e.get_ydata()) for e in artists(figure, "evidence")} == {(level, level)}
    assert len(artists(figure, "evidence")) == 2
    known = keys(figure)
    assert known["the bound F"].get_color() == line.get_color()
    (target,) = [k for words, k in known.items() if words.startswith("EM: ln p(y")]
    assert target.get_color() == artist(figure, "target").get_color() != line.get_color()


def test_a_start_within_the_axis_is_drawn():
    near = CLIMB.assign(bound=CLIMB["bound"].where(CLIMB["bound"] > -1500, -875.0))
    figure = draw_climb(near, EVIDENCE, 0)
    assert artists(figure, "far below") == []
    assert points(artist(figure, "steps-EM"))[0] == (0, -875.0)


def test_an_exact_evidence_has_no_error():
    figure = draw_climb(CLIMB, EVIDENCE.assign(standard_error=np.nan), 0)
    assert any("ln evidence\n−851.2" in names(axes) for axes in figure.axes)


def test_an_empty_draw_is_refused():
    with pytest.raises(ValueError, match="draw 5"):
        draw_climb(CLIMB, EVIDENCE, 5)


def grid(squares=8):
    middles = (np.arange(squares) + 0.5) / squares
    first, second = np.meshgrid(middles, middles, indexing="ij")
    table = pd.DataFrame({"phi_1": first.ravel(), "phi_2": second.ravel()})
    for k, name in enumerate(("posterior", "q", "normal", "mixture")):
        table[name] = (1 + k) * (table["phi_1"] ** 2 + 0.1 * table["phi_2"])
    return table


def test_each_panel_has_the_densities_of_its_column():
    table = grid()
    figure = draw_equal_modes(shuffled(table))
    texts = assert_tidy(figure)
    titles = ["True posterior", "VB's q(θ)", "Laplace", "Mixture of q"]
    panels = figure.axes[:4]
    assert [axes.get_title(loc="left") for axes in panels] == titles
    for axes, name in zip(panels, ("posterior", "q", "normal", "mixture"), strict=True):
        shown = artist(figure, f"density-{name}")
        assert shown.axes is axes
        expected = table.pivot(index="phi_2", columns="phi_1", values=name)
        np.testing.assert_array_equal(np.asarray(shown.get_array()).reshape(8, 8), expected)
        corners = shown.get_coordinates()
        np.testing.assert_allclose(corners[0, :, 0], np.arange(9) / 8)  # phi_1 across
        np.testing.assert_allclose(corners[:, 0, 1], np.arange(9) / 8)
        assert shown.norm is artist(figure, "density-posterior").norm
        width, height = axes.bbox.size
        assert width == pytest.approx(height, rel=0.05)
    assert shown.norm.vmin == 0 and shown.norm.vmax == table["mixture"].max()
    assert {"p(y1 = 1 | s = 1)", "p(y1 = 1 | s = 2)", "density"} <= texts
    assert figure.axes[4].get_yticks().tolist() == [0, 0.5, 2, 8]
