"""Mistakes in the numerical core: the model, the kernel, fits, samplers and the exact evidence."""

from mutant import by_their_text

BOUNDS = "tests/statistical/test_bounds.py"
OPTIMA = "tests/statistical/test_optima.py"
SIMULATION = "tests/statistical/test_simulation.py"
UNBIASED = "tests/statistical/test_unbiased.py"
AIS = "tests/unit/test_ais.py"
COUNTS = "tests/unit/test_counts.py"
DATA = "tests/unit/test_data.py"
EXACT = "tests/unit/test_exact.py"
FITS = "tests/unit/test_fits.py"
KERNEL = "tests/unit/test_kernel.py"
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
        "src/latentdag/kernel.py",
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
        (
            "np.moveaxis(np.asarray(counts, dtype=float), j, 0)",
            "np.asarray(counts, dtype=float)",
            (AIS,),
        ),
        ("self._empty = (self.counts == 0)", "self._empty = (self.counts != 0)", (KERNEL,)),
        (
            "coordinates[self._coordinates[item]] = slots.ravel()",
            "coordinates[self._coordinates[item]] = slots.ravel()[::-1]",
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
            "return self.kernel.n_states * self.share",
            "return self.kernel.n_states / self.share",
            (KERNEL,),
        ),
        (
            "self.tie(counts, summed[:, :, -1])",
            "self.tie(counts, summed[:, :, 0])",
            (KERNEL,),
        ),
        (
            "sorted({s.family.hidden for s in reduced})",
            "sorted({reduced[0].family.hidden})",
            (KERNEL,),
        ),
    ),
    *by_their_text(
        "src/latentdag/counts.py",
        ("MAX_CELLS = 10**6", "MAX_CELLS = 10**7", (DATA,)),
        (
            "if n_cells > MAX_CELLS",
            "if n_cells >= MAX_CELLS",
            (
                DATA,
                COUNTS,
            ),
        ),
        ("(raw < cardinalities)", "(raw <= cardinalities)", (COUNTS,)),
        ("(raw >= 0)", "(raw > -2)", (COUNTS,)),
        ("return raw.astype(np.int64)", "return raw.astype(np.int8)", (COUNTS,)),
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
            "[known.index(row[i]) for i, known",
            "[len(known) - 1 - known.index(row[i]) for i, known",
            (DATA,),
        ),
        (
            "columns = [i for i, name in enumerate(names) if name != count]",
            "columns = list(range(len(names)))",
            (DATA,),
        ),
        ("row[i].lower() in MISSING", "row[i] in MISSING", (DATA,)),
        (
            "row {row + 1} (line {row + 2} of the file), column",
            "row {row} (line {row + 1} of the file), column",
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
        "src/latentdag/fits/fixed_point.py",
        (
            "algorithm.step(batch, w3)\n        secants.add(w3 - w1, w4 - w3 - step)",
            "algorithm.step(batch, w3)\n        secants.add(w3 - w1, w4 - w3 + step)",
            (FITS,),
        ),
        ("accept = f3 >= f1", "accept = f3 > -np.inf", (FITS,)),
        ("fits.iterations[chunk] += 3", "fits.iterations[chunk] += 2", (FITS,)),
        ("QUIET = 3 ", "QUIET = 1 ", (FITS,)),
        ("MARGIN = 0.01", "MARGIN = 1.0", (FITS,)),
        ("gap[step.max(axis=(1, 2)) > RISING] = np.inf", "pass", (FITS,)),
        ("newton = np.where((rise < 0)", "newton = np.where((rise > 0)", (FITS,)),
        ("newton = np.where((rise < 0)", "newton = np.where((rise < -np.inf)", (FITS,)),
        (
            "fits.iterations[chunk] // 3 * 2 % SECANTS",
            "fits.iterations[chunk] // 3 % SECANTS",
            (FITS,),
        ),
        ("RIDGE = 1e-10", "RIDGE = 1e-4", (FITS,)),
        (
            "done = fits.converged | (fits.iterations >= max_iterations)",
            "done = fits.converged | (fits.iterations > max_iterations)",
            (FITS,),
        ),
        (
            "fits.converged[chunk] = fits.quiet[chunk] >= QUIET",
            "fits.converged[chunk] = (fits.quiet[chunk] >= QUIET) "
            "| (fits.iterations[chunk] >= max_iterations)",
            (FITS,),
        ),
        ("fits.quiet[chunk] + 1, 0", "fits.quiet[chunk] + 1, fits.quiet[chunk]", (FITS,)),
        ("np.maximum(now, fits.rate[chunk])", "now", (FITS,)),
        ("np.maximum(ss / np.maximum(1 - slowest, 1e-16), np.abs(rise))", "ss", (FITS,)),
        (
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9",
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-9, 1e-15, 1e-9",
            (FITS,),
        ),
        (
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9",
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-13, 1e-9",
            (FITS,),
        ),
        (
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9",
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-7",
            (FITS,),
        ),
        (
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9",
            "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 0, 1e-9",
            (FITS,),
        ),
        (
            "where=norm > SHORTEST",
            "where=norm > 0",
            (
                FITS,
                OPTIMA,
            ),
        ),
        (
            "finished[owner[i]][place[i]] = fits[[i]]",
            "finished[owner[i]][-1 - place[i]] = fits[[i]]",
            (FITS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/fits/restarts.py",
        ("SAME_OPTIMUM = 1e-2", "SAME_OPTIMUM = 1.0", (FITS,)),
        ("objective >= objective.max() - SAME_OPTIMUM", "objective >= best.objective", (FITS,)),
        ("leader.objective > best.objective", "leader.objective < best.objective", (FITS,)),
        ("if at_best >= settings.hits", "if at_best > settings.hits", (FITS,)),
        ("leader = fits[[np.argmax(fits.objective)]]", "leader = fits[[-1]]", (FITS,)),
        ("objective = fits.objective\n", "objective = np.empty(0)\n", (FITS,)),
        (
            "if tolerance < GAIN_TOLERANCE:\n        best = yield best, tolerance",
            "if tolerance > GAIN_TOLERANCE:\n        best = yield best, tolerance",
            (FITS,),
        ),
        ("report(1 - fresh.stop / settings.restarts)", "report(0)", (FITS,)),
        ("len(objective),\n        at_best", "settings.restarts,\n        at_best", (FITS,)),
        ("range(done, min(done + ROUND, settings.restarts))", "range(done, done + ROUND)", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/fits/em.py",
        (
            "LOWEST = -70.0",
            "LOWEST = -7.0",
            (
                FITS,
                OPTIMA,
            ),
        ),
        (
            "LOWEST = -70.0",
            "LOWEST = -7000.0",
            (
                FITS,
                OPTIMA,
            ),
        ),
        ("NO_PRIOR = 1e-300", "NO_PRIOR = 1e-3", (FITS,)),
        ("log_weights + np.log(batch.kernel.n_values)", "log_weights", (FITS,)),
        ("self.pseudo_counts * relative", "(self.pseudo_counts - 1) * relative", (FITS,)),
        (
            "            counts += self.pseudo_counts",
            "            counts += self.pseudo_counts - 1",
            (FITS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/fits/vbem.py",
        (
            "psi(u) - batch.spread(psi(sums))",
            "np.log(u) - batch.spread(np.log(sums))",
            (
                FITS,
                OPTIMA,
            ),
        ),
        (
            "batch.block_total(log_gamma_ratio(row_alpha, row_counts))",
            "batch.block_total(log_gamma_ratio(row_alpha, row_counts + 1))",
            (KERNEL,),
        ),
        ("entropy = log_sum - batch.total", "entropy = log_sum + batch.total", (KERNEL,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/ais.py",
        (
            "accepted = self._thresholds[b] < log_ratio",
            "accepted = self._thresholds[b] > log_ratio",
            (AIS,),
        ),
        (
            "return chains.log_weight, acceptance / sizes, temperatures / sizes",
            "return chains.log_weight, temperatures / sizes, acceptance / sizes",
            (AIS,),
        ),
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
            "start -= np.log(self.alpha)",
            "start += np.log(self.alpha)",
            (
                AIS,
                UNBIASED,
            ),
        ),
        (
            "self.alpha * (x - g)",
            "self.alpha * x - g",
            (
                AIS,
                UNBIASED,
            ),
        ),
        (
            "self.alpha + temperature[:, None, None] * self._expected",
            "self.alpha + self._expected",
            (AIS,),
        ),
        ("batch.kernel.margins / batch.table_rows()", "batch.kernel.margins", (AIS,)),
        (
            "(temperature - self._temperature) * self.log_likelihood",
            "temperature * self.log_likelihood",
            (
                AIS,
                UNBIASED,
            ),
        ),
        (
            "SMALLEST_ALPHA = 0.1",
            "SMALLEST_ALPHA = 0.001",
            (
                AIS,
                BOUNDS,
            ),
        ),
        ("np.log(start) + np.log(batch.kernel.n_values)", "np.log(start)", (AIS,)),
        ("report(chain_steps / (len(items) * steps))", "report(chain_steps / steps)", (AIS,)),
        (
            "np.interp(temperature, self.temperatures[1:], self.log_steps)",
            "np.interp(temperature, self.temperatures[:-1], self.log_steps)",
            (AIS,),
        ),
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
        ('task.stream("ais pilot", s, chain)', 'task.stream("ais", s, chain)', (AIS,)),
        ('origin = "prior" if start is None else "true"', 'origin = "prior"', (AIS,)),
        (
            'origin = "prior" if start is None else "true"',
            'origin = "true" if start is None else "prior"',
            (AIS,),
        ),
        ("everyone.of(own)", "everyone.of(slice(chains))", (AIS,)),
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
