"""Mistakes in the reference evidence: particles, bounds, rounds of runs, errors."""

from mutant import by_their_text

LAWS = "tests/statistical/test_reference_laws.py"
SMC = "tests/unit/test_smc.py"

REFERENCE_EVIDENCE = (
    *by_their_text(
        "src/latentdag/sampling/smc/particles.py",
        ("-1 if backwards else 1", "1", (LAWS,)),
        (
            "order.start, order.stop, order.step, False",
            "order.start, 0 if backwards else order.stop, order.step, False",
            (LAWS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/loops.py",
        (
            "uniform * (weights[0] if conditional else 1.0)",
            "(0.0 if conditional else uniform)",
            (LAWS,),
        ),
        (", weights / total", ", weights**0.5 / (weights**0.5).sum()", (LAWS,)),
        ("        lanes.log_weights[tiles] = 0.0\n", "", (LAWS,)),
        ("        _copy(lanes.counts[tiles], lanes.counts.shape[1], chosen)\n", "", (LAWS,)),
        (
            "lanes.ravel()[: chosen.size] = chosen",
            "lanes.ravel()[: chosen.size - 1] = chosen[1:]",
            (LAWS,),
        ),
        ("slice(run * n_tiles, (run + 1) * n_tiles)", "slice(0, n_tiles)", (LAWS,)),
        ("select(own, total - one, total)", "total + 0", (LAWS,)),
        ("select(before == tables.part[k], gain - one, gain)", "gain", (LAWS,)),
        ("total + tables.total_prior[v]", "total + alpha", (LAWS,)),
        ("total + tables.alpha_hidden", "total + alpha", (LAWS,)),
        ("states[i, 0] = retained[run, i]", "pass", (SMC,)),
        ("s2 ^ (s1 << 9)", "s2", (SMC,)),
        ("for h in range(last):", "for h in range(last - (last > 1)):", (LAWS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/vector.py",
        ("builder.sext(value, wanted) if", "builder.zext(value, wanted) if not", (SMC,)),
        ('(operator.rshift, "", "lshr")', '(operator.rshift, "", "ashr")', (LAWS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/model.py",
        (" * (before + hidden * prior.alpha_hidden).prod(axis=1)", "", (LAWS,)),
        (
            "self._pack(states[:, self._active])",
            "self._pack(states[:, : len(self._active)])",
            (SMC,),
        ),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/schedule.py",
        ("times, t = [], 1", "times, t = [], 2", (SMC,)),
        ("return similar[np.argsort(place)]", "return np.argsort(place)", (SMC,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/evidence.py",
        (
            "by_run = np.append(by_run, estimates(",
            "by_run = np.append(by_run[:0], estimates(",
            (SMC,),
        ),
        ("while error > target and", "while error > 0 and", (SMC,)),
        ("len(by_run) + runs, most_runs", "len(by_run) + runs, 10**9", (SMC,)),
        ("particles * FULL // len(cases)", "0", (SMC,)),
        ("by_run.var(ddof=1)", "by_run.std(ddof=1)", (SMC,)),
        ("math.log1p(runs", "math.expm1(runs", (SMC,)),
        ('estimates("reference pilot", first', 'estimates("reference", first', (SMC,)),
        ("*which, run) for run", "*which, 0) for run", (SMC,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/bounds.py",
        ('"reference upper", *which, run', '"reference", *which, particles, run', (SMC,)),
        ("one_each.sweep(backwards=True)", "one_each.sweep()", (LAWS,)),
        ("        one_each.sweep(backwards=True)\n", "", (LAWS,)),
        ("return path[::-1]", "return path", (LAWS,)),
    ),
    *by_their_text(
        "src/latentdag/sampling/smc/run.py",
        ("conditional=trajectories is not None", "conditional=False", (SMC,)),
        ("        cloud.sweep(retained)\n", "", (SMC,)),
        ("c[part] for c in trajectories", "c[:1] for c in trajectories", (SMC,)),
        ("model.log_unlinked[-1]", "model.log_unlinked[-2]", (SMC,)),
    ),
)
