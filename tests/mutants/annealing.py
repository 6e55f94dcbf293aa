"""Mistakes in compiled code: vectors, their functions, cells, the walk of annealed importance
sampling; and in the error of its mean weight.
"""

from mutant import by_their_text

CELLS = ("tests/unit/test_kernel.py",)
FUNCTIONS = ("tests/unit/test_functions.py",)
VECTOR = ("tests/unit/test_vector.py",)
WALK = ("tests/unit/test_walk.py",)
SIZES = ("tests/unit/test_ais_sizes.py",)
STATS = ("tests/unit/test_stats.py",)
UNBIASED = ("tests/statistical/test_unbiased.py",)

ANNEALING = (
    *by_their_text(
        "src/latentdag/kernel/vector.py",
        ('(operator.gt, ">")', '(operator.gt, ">=")', VECTOR),
        ("b.fcmp_ordered", "b.fcmp_unordered", VECTOR),
        ("(operator.rshift, ir.IRBuilder.lshr)", "(operator.rshift, ir.IRBuilder.ashr)", VECTOR),
        ("builder.select(values[0], *a_or_b)", "builder.select(values[0], *a_or_b[::-1])", VECTOR),
        (
            "builder.or_(values[0], _constant(SHIFT_BITS",
            "builder.xor(values[0], _constant(BIAS",
            VECTOR,
        ),
    ),
    *by_their_text(
        "src/latentdag/kernel/functions.py",
        ("*(6227020800, 479001600,", "*(479001600,", FUNCTIONS),
        ("range(21, 0, -2)", "range(15, 0, -2)", FUNCTIONS),
        ("1.9082149292705877e-10", "1.9082149292705877e-11", FUNCTIONS),
        ("LARGEST = 708.0", "LARGEST = 700.0", FUNCTIONS),
        ("x = where(x > LARGEST, LARGEST, x)", "pass", FUNCTIONS),
        ("m = where(large, m * 0.5, m)", "m = where(large, m * 0.25, m)", FUNCTIONS),
    ),
    *by_their_text(
        "src/latentdag/kernel/cells.py",
        ("value = where(smallest < SMALLEST, -INFINITY, value)", "pass", CELLS),
        ("return where(total < INFINITY, value, np.nan)", "return value", CELLS),
        ("load(counts, row) + completions", "completions", CELLS),
        ("ratio = cells.counts[g] / p", "ratio = 1.0 / p", CELLS),
        (
            "collect(scratch.right, scratch.right_counts, cells.right, counts)",
            "collect(scratch.right, scratch.left_counts, cells.right, counts)",
            CELLS,
        ),
        ("p = where(count != 0, p, 1.0)", "pass", SIZES),
        ("fma(exponent(p), as_reals(count), e)", "e + exponent(p)", SIZES),
        ("(count & (1 << k)) != 0", "(count & 1) != 0", SIZES),
        ("e = fma(exponent(load(products, k)), 2.0**k, e)", "pass", SIZES),
        (
            "value = fma(log(load(products, k)), 2.0**k, value)",
            "value = value + log(load(products, k))",
            SIZES,
        ),
    ),
    *by_their_text(
        "src/latentdag/sampling/walk.py",
        ("(total << 23) | (total >> 41)", "(total << 23) | (total >> 40)", WALK),
        ("(words >> 16) & (PIECE - 1)", "(words >> 8) & (PIECE - 1)", WALK),
        ("words = words >> 32", "words = words >> 16", WALK),
        ("CENTRE, UNIT = PIECE - 1.0", "CENTRE, UNIT = PIECE * 1.01", WALK),
        ("random_words(walk.streams) >> 12", "random_words(walk.streams) >> 13", WALK),
        ("moved = log(uniform) < ratio", "moved = log(uniform) > ratio", WALK),
        ("fma(load(x, d) - g, target.alpha[d], log_prior)", "load(x, d) - g + log_prior", UNBIASED),
        ("alpha + temperature * expected", "alpha + expected", WALK),
        (
            "walk.log_prior, 0, where(moved, proposed_prior, now[1])",
            "walk.log_prior, 0, proposed_prior",
            UNBIASED,
        ),
        (
            "weigh(walk, temperature - load(temperatures, b))",
            "weigh(walk, temperature)",
            UNBIASED,
        ),
        (
            "temperatures[lane], target.expected[d, lane]",
            "temperatures[lane], target.expected[d, 0]",
            SIZES,
        ),
        (
            "width(step, target.alpha[d], temperature, target.expected[d, 0])",
            "step",
            ("tests/unit/test_ais.py",),
        ),
        ("log_steps[b // BLOCK])\n", "log_steps[0])\n", WALK),
        (
            "shape(target, walk, temperatures[k * BLOCK], log_step)",
            "shape(target, walk, temperatures[b], log_step)",
            WALK,
        ),
        ("rate * (moved.mean() - wanted)", "rate * (wanted - moved.mean())", WALK),
    ),
    *by_their_text(
        "src/latentdag/stats.py",
        (
            "w.std(ddof=1) * np.sqrt(np.sum(shares**2))",
            "w.std() * np.sqrt(np.sum(shares**2))",
            STATS,
        ),
        (
            "w.std(ddof=1) * np.sqrt(np.sum(shares**2))",
            "w.std(ddof=1) / np.sqrt(len(w))",
            STATS,
        ),
        (" - np.log(len(w))", "", STATS),
        ("np.sort(np.asarray(log_weights, dtype=float))", "np.array(log_weights, float)", STATS),
    ),
)
