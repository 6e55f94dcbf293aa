"""Mistakes in the numerical core: the model, the kernel, fits, samplers and the exact evidence."""

from mutant import by_their_text

BOUNDS = "tests/statistical/test_bounds.py"
OPTIMA = "tests/statistical/test_optima.py"
SIMULATION = "tests/statistical/test_simulation.py"
UNBIASED = "tests/statistical/test_unbiased.py"
AIS = "tests/unit/test_ais.py"
AIS_SIZES = "tests/unit/test_ais_sizes.py"
COUNTS = "tests/unit/test_counts.py"
DATA = "tests/unit/test_data.py"
EXACT = "tests/unit/test_exact.py"
FITS = "tests/unit/test_fits.py"
KERNEL = "tests/unit/test_kernel.py"
MF = "tests/unit/test_mean_field.py"
MISSING = "tests/unit/test_missing.py"
MISSING_SAMPLED = "tests/statistical/test_missing_values.py"
SPECIAL = "tests/unit/test_special.py"
STRUCTURES = "tests/unit/test_structures.py"

NUMERICS = (
    *by_their_text(
        "src/latentdag/model.py",
        (
            'object.__setattr__(self, "alpha_hidden", self.alpha)',
            'object.__setattr__(self, "alpha_hidden", 1.0)',
            (COUNTS,),
        ),
        ("MAX_ALPHA = 1e12", "MAX_ALPHA = 1e15", (COUNTS,)),
        ("rng.standard_gamma(alpha + 1)", "rng.standard_gamma(alpha)", (SIMULATION,)),
        (
            "rng.standard_exponential(len(alpha)) / alpha",
            "rng.standard_exponential(len(alpha)) * alpha",
            (SIMULATION,),
        ),
        (
            "row = row * cardinalities[i] + states[..., i]",
            "row = row * 2 + states[..., i]",
            (SIMULATION,),
        ),
        (
            "np.cumsum(probabilities[:, :-1], axis=1)",
            "np.cumsum(probabilities[:, :-1], axis=0)",
            (SIMULATION,),
        ),
    ),
    *by_their_text(
        "src/latentdag/kernel/slots.py",
        (
            "copies *= np.where(depends[:, i], 1, k)",
            "copies *= np.where(depends[:, i], 1, 2)",
            (KERNEL,),
        ),
        (
            "depends[s, list(parents), j] = True",
            "depends[s, list(parents)[:1], j] = True",
            (KERNEL,),
        ),
        (
            "self._pool = (others == 0).astype(float)",
            "self._pool = (others <= 1).astype(float)",
            (KERNEL,),
        ),
        ("prior.alpha, prior.alpha_hidden)\n", "prior.alpha_hidden, prior.alpha)\n", (KERNEL,)),
        ("np.full(k, self.counts.sum() / k) for k", "np.full(k, self.counts.sum()) for k", (AIS,)),
        ("self.in_table_order = np.argsort(by_number)", "self.in_table_order = by_number", (MF,)),
        (
            "np.where(occurring == MISSING, NO_ROW, rows[:, columns])",
            "rows[:, columns]",
            (MISSING,),
        ),
        ("LONGEST_PRODUCT = 500", "LONGEST_PRODUCT = 5000", (KERNEL,)),
        ("counts=self.counts[starts]", "counts=self.counts[starts - 1]", (KERNEL,)),
        (
            "counts[places(kernel.patterns, patterns), lane] = kernel.counts",
            "counts[np.arange(len(kernel.counts)), lane] = kernel.counts",
            (AIS_SIZES,),
        ),
        (
            "return np.unique(self._coordinates[item]",
            "return np.sort(self._coordinates[item]",
            (KERNEL,),
        ),
        (
            "values[self._coordinates[item]] = slots.ravel()",
            "values[self._coordinates[item]] = slots.ravel()[::-1]",
            (KERNEL,),
        ),
        (
            "return np.vecdot(self.share.reshape(len(slots), -1), slots.reshape(len(slots), -1))",
            "return slots.reshape(len(slots), -1).sum(axis=1)",
            (KERNEL,),
        ),
        ("alpha * (x - np.expm1(x))", "alpha * x", (KERNEL,)),
        ("alpha * (x - np.expm1(x))", "alpha * (x + np.expm1(x))", (KERNEL,)),
        (
            "log_dirichlet_peak(alpha, n_values) / n_values",
            "log_dirichlet_peak(alpha, n_values)",
            (KERNEL,),
        ),
        (
            "return self.untie(item, self.n_states * self._share[item])",
            "return self.untie(item, self._share[item])",
            (KERNEL,),
        ),
        (
            "sorted({s.family.hidden for s in reduced})",
            "sorted({reduced[0].family.hidden})",
            (KERNEL,),
        ),
    ),
    *by_their_text(
        "src/latentdag/model.py",
        ("MAX_CELLS = 10**6", "MAX_CELLS = 10**7", (COUNTS,)),
        ("if family.n_cells > MAX_CELLS", "if family.n_cells >= MAX_CELLS", (COUNTS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/model.py",
        (
            "(with_value + cardinality * prior.alpha)",
            "(before + cardinality * prior.alpha)",
            (MISSING_SAMPLED,),
        ),
        ("predictive[~seen] = 1.0", "pass", (MISSING_SAMPLED,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/loops.py",
        (
            "        if nothing_to_count(tables, rows, g):\n            continue\n        before",
            "        before",
            (MISSING_SAMPLED,),
        ),
    ),
    *by_their_text(
        "src/latentdag/scores/exact.py",
        ("            if value == MISSING:\n                continue\n", "", (MISSING,)),
    ),
    *by_their_text(
        "src/latentdag/fits/information.py",
        ("np.where(values == MISSING, nothing, columns)", "np.maximum(columns, 0)", (MISSING,)),
    ),
    *by_their_text(
        "src/latentdag/fits/lanes/mean_field.py",
        ("if slot >= 0:  # a missing value has none", "if True:", (MISSING,)),
    ),
    *by_their_text(
        "src/latentdag/goodness.py",
        ("(self.patterns[:, [i, j]] != MISSING).all(axis=1)", "self._complete", (MISSING,)),
        ("seen = values != MISSING", "seen = values > -2", (MISSING,)),
        ("self.n_complete * self._joint", "self.n_cases * self._joint", (MISSING,)),
    ),
    *by_their_text(
        "src/latentdag/counts.py",
        ("np.bincount(values[seen], self.numbers[seen], ", "np.bincount(values[seen], ", (COUNTS,)),
        ("np.add.at(total, place.reshape(-1), own)", "total[place.reshape(-1)] += own", (COUNTS,)),
        ("occur = total > 0", "occur = total >= 0", (COUNTS,)),
        ("keys = keys * size + values", "keys = keys + size * values", (COUNTS,)),
        ("sum(numbers.tolist()) > MAX_COUNT", "False", (COUNTS,)),
        ("(raw < cardinalities)", "(raw <= cardinalities)", (COUNTS,)),
        ("(raw >= 0)", "(raw > -2)", (COUNTS,)),
        ("MISSING, raw).astype(np.int64)", "MISSING, raw).astype(np.int8)", (COUNTS,)),
    ),
    *by_their_text(
        "src/latentdag/structures.py",
        ("sum(c - 1 for c in hidden)", "sum(c for c in hidden)", (STRUCTURES,)),
        (
            "active = sorted(set().union(*self.parents))",
            "active = list(range(len(self.family.hidden)))",
            (STRUCTURES,),
        ),
        (
            "MAX_LABELLED = 2**18",
            "MAX_LABELLED = 2**17",
            (
                STRUCTURES,
                DATA,
            ),
        ),
        (
            "n_hidden * n_observed > log2(MAX_LABELLED)",
            "n_hidden + n_observed > log2(MAX_LABELLED)",
            (
                STRUCTURES,
                DATA,
            ),
        ),
    ),
    *by_their_text(
        "src/latentdag/data.py",
        (
            "{level: k for k, level in enumerate(known[-1])}",
            "{level: k for k, level in enumerate(reversed(known[-1]))}",
            (DATA,),
        ),
        ("[name for name in names if name != count]", "names", (DATA,)),
        (
            "dict.fromkeys(absent, MISSING) | {level: k for k, level in enumerate(known[-1])}",
            "{level: k for k, level in enumerate(known[-1])} | dict.fromkeys(absent, MISSING)",
            (DATA,),
        ),
        ("counts = Counts.of(codes[~empty], ", "counts = Counts.of(codes, ", (DATA,)),
        ("[v for v in values if v not in absent]", "values", (DATA,)),
        (
            " (line {index + 2} of the file)",
            " (line {index + 1} of the file)",
            (DATA,),
        ),
    ),
    *by_their_text(
        "src/latentdag/special.py",
        ("STIRLING_FROM = 20.0", "STIRLING_FROM = 1e300", (SPECIAL,)),
        ("STIRLING_FROM = 20.0", "STIRLING_FROM = 5.0", (SPECIAL,)),
        ("(a + n - 0.5) * np.log1p", "(a + n + 0.5) * np.log1p", (SPECIAL,)),
        ("_remainder(a + n) - _remainder(a)", "_remainder(a + n) + _remainder(a)", (SPECIAL,)),
        ("square / 1680", "square / 1260", (SPECIAL,)),
        ("(k - 1) / 2 * np.log(2 * np.pi)", "k / 2 * np.log(2 * np.pi)", (SPECIAL,)),
    ),
    *by_their_text(
        "src/latentdag/fits/restarts.py",
        ("SAME_OPTIMUM = 1e-2", "SAME_OPTIMUM = 1.0", (FITS,)),
        ("objective >= finished - SAME_OPTIMUM", "objective >= finished", (FITS,)),
        ("if at_best >= settings.hits", "if at_best > settings.hits", (FITS,)),
        ("leader = np.argmax(objective)", "leader = -1", (FITS,)),
        ("objective = optima.objective\n", "objective = np.empty(0)\n", (FITS,)),
        (
            "if converged and tolerance < GAIN_TOLERANCE",
            "if converged and tolerance > GAIN_TOLERANCE",
            (FITS,),
        ),
        ("report(1 - fresh.stop / settings.restarts)", "report(0)", (FITS,)),
        ("len(objective),\n        at_best", "settings.restarts,\n        at_best", (FITS,)),
        ("range(done, min(done + ROUND, settings.restarts))", "range(done, done + ROUND)", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/ais.py",
        ("BINS = 16", "BINS = 8", (AIS,)),
        ("PILOT_POWER = 3", "PILOT_POWER = 2", (AIS,)),
        ("PILOT_STEPS = 1024", "PILOT_STEPS = 512", (AIS,)),
        ("TARGET_ACCEPTANCE = 0.25", "TARGET_ACCEPTANCE = 0.5", (AIS,)),
        ("ADAPTATION_RATE = 0.2", "ADAPTATION_RATE = 0.02", (AIS,)),
        ("SMOOTHING = 5", "SMOOTHING = 3", (AIS,)),
        (
            "np.cumsum(np.sqrt(rise * np.diff(temperatures)))",
            "np.cumsum(rise * np.diff(temperatures))",
            (AIS,),
        ),
        ("rise[0] = rise[1]", "rise[0] = 0", (AIS,)),
        (
            "draw_log_gamma(alpha, g) - np.log(alpha)",
            "draw_log_gamma(alpha, g) + np.log(alpha)",
            (AIS,),
        ),
        ("kernel.margins) / kernel.table_rows(item)", "kernel.margins)", (AIS,)),
        (
            "SMALLEST_ALPHA = 0.1",
            "SMALLEST_ALPHA = 0.001",
            (
                AIS,
                BOUNDS,
            ),
        ),
        ("if alpha.min() < SMALLEST_ALPHA", "if prior.alpha_hidden < SMALLEST_ALPHA", (AIS,)),
        ("np.log(start) + np.log(kernel.n_values)", "np.log(start)", (AIS,)),
        ("report((end - first) / steps * work)", "report((end - first) / steps)", (AIS,)),
        (
            "np.interp(temperatures, self.temperatures[1:], self.log_steps)",
            "np.interp(temperatures, self.temperatures[:-1], self.log_steps)",
            (AIS,),
        ),
        (
            "np.append(0.0, temperatures)[:, None]",
            "np.append(temperatures[0], temperatures)[:, None]",
            (AIS,),
        ),
        ("course.log_steps[first // walk.BLOCK :]", "course.log_steps", (AIS,)),
        ("AT_ONCE = 1024", "AT_ONCE = 1000", (AIS,)),
        (
            "lanes = np.resize(np.arange(len(x)), walk.LANES)",
            "lanes = np.zeros(walk.LANES, dtype=int)",
            (AIS,),
        ),
        ("values[owner == k] for values", "values[np.sort(owner) == k] for values", (AIS_SIZES,)),
        ("[courses[k] for k in lanes]", "[courses[lanes[0]] for k in lanes]", (AIS_SIZES,)),
        ("[kernels[k] for k in lanes]", "[kernels[lanes[0]] for k in lanes]", (AIS_SIZES,)),
    ),
    *by_their_text(
        "src/latentdag/scores/base.py",
        (
            "self.seed, purpose, *self.key, self.n, structure.label, *which",
            "self.seed, purpose, self.n, structure.label, *which",
            (AIS,),
        ),
        (
            "self.seed, purpose, *self.key, self.n, structure.label, *which",
            "self.seed, purpose, *self.key, structure.label, *which",
            (AIS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/scores/ais.py",
        (
            'task.stream("ais pilot", structure, chain)',
            'task.stream("ais", structure, chain)',
            (AIS,),
        ),
        ('origin = "prior" if start is None else "true"', 'origin = "prior"', (AIS,)),
        (
            'origin = "prior" if start is None else "true"',
            'origin = "true" if start is None else "prior"',
            (AIS,),
        ),
        (
            "*(kernels, item, task.prior, tunings",
            "*(kernels, 0, task.prior, tunings",
            (AIS, AIS_SIZES),
        ),
        ("ais.anneal(kernel, item, task.prior", "ais.anneal(kernel, 0, task.prior", (AIS_SIZES,)),
        ("if _side_by_side(settings):", "if True:", (AIS_SIZES,)),
        ("if _side_by_side(settings):", "if len(at_sizes) > 1:", (AIS_SIZES,)),
        ("own, None, task.report, tau)", "own, None, None, tau)", (AIS_SIZES,)),
    ),
    *by_their_text(
        "src/latentdag/scores/exact.py",
        ("MAX_ENTRIES = 2**24", "MAX_ENTRIES = 2**20", (EXACT,)),
        ("MAX_ENTRIES = 2**24", "MAX_ENTRIES = 2**26", (EXACT,)),
        ("y = y[np.lexsort(y.T)]", "y = y[:]", (EXACT,)),
        ("log_total += np.log(k)  # the first", "log_total += np.log(2)  # the first", (EXACT,)),
        ("], prior.alpha_hidden, k", "], prior.alpha, k", (EXACT,)),
        ("np.min_scalar_type(n))", "np.uint8)", (EXACT,)),
        (
            "per_row = log_gamma_ratio(cardinality * alpha, sizes)",
            "per_row = log_gamma_ratio(2 * alpha, sizes)",
            (EXACT,),
        ),
        ("if (j, cardinalities) not in tables", "if (0, cardinalities) not in tables", (EXACT,)),
    ),
)
