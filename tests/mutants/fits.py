"""Mistakes in the compiled optimiser and in the steps that it takes."""

from mutant import by_their_text

FITS = "tests/unit/test_fits.py"
OPTIMA = "tests/statistical/test_optima.py"
GAMMA = "tests/unit/test_gamma_functions.py"
KERNEL = "tests/unit/test_kernel.py"
ROUNDING = "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9"

OF_FITS = (
    *by_their_text(
        "src/latentdag/fits/lanes/optimiser.py",
        ("change = (x4 - x3) - load(lanes.step, k)", "change = x4 - x3", (FITS,)),
        ("accept = f3 >= f1", "accept = f3 > -INFINITY", (FITS,)),
        ("load(lanes.iterations, 0) + 3.0", "load(lanes.iterations, 0) + 2.0", (FITS,)),
        ("QUIET = 3 ", "QUIET = 1 ", (FITS,)),
        ("MARGIN = 0.01", "MARGIN = 1.0", (FITS,)),
        ("gap = where(rises > RISING, INFINITY, gap)", "pass", (FITS,)),
        ("where(rise < 0.0, 2.0 * s - newton", "where(rise > 0.0, 2.0 * s - newton", (FITS,)),
        ("where(rise < 0.0, 2.0 * s - newton", "where(rise < -1e300, 2.0 * s - newton", (FITS,)),
        ("RIDGE = 1e-10", "RIDGE = 1e-4", (FITS,)),
        (
            "lanes.iterations[lane] >= max_iterations",
            "lanes.iterations[lane] > max_iterations",
            (FITS,),
        ),
        ("done.converged[finished] = converged", "done.converged[finished] = True", (FITS,)),
        ("load(lanes.quiet, 0) + 1.0, 0.0)", "load(lanes.quiet, 0) + 1.0, 1.0)", (FITS,)),
        ("where(now > before, now, before)", "now", (FITS,)),
        (ROUNDING, "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-9, 1e-15, 1e-9", (FITS,)),
        (ROUNDING, "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-13, 1e-9", (FITS,)),
        (ROUNDING, "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-7", (FITS,)),
        (ROUNDING, "PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 0.0, 1e-9", (FITS,)),
        ("where(norm > SHORTEST, ", "where(norm > 0.0, ", (FITS, OPTIMA)),
        # a fit begins with what its lane's last one left
        ("    lanes.changes[:, :, lane] = 0.0\n", "", (FITS,)),
        ("lanes.rate[lane], lanes.newton[lane] = 1.0, 1.0", "lanes.rate[lane] = 1.0", (FITS,)),
        # the ring's places for the secants' ages: when a fit begins changes its rounding
        ("return (lanes.newest[0] + 1 + i) % SECANTS", "return i", (FITS,)),
        ("if not lanes.finite.all():", "if False:", (FITS, OPTIMA)),
        ("lanes.items[lane] = queue.items[i]", "lanes.items[lane] = 0", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/fits/fixed_point.py",
        (
            "running[s].put(done.place[own], done, own)",
            "running[s].put(np.sort(done.place[own]), done, own)",
            (FITS,),
        ),
    ),
    *by_their_text(
        "src/latentdag/fits/lanes/slots.py",
        (
            "store(counts, slot, where(tied, total, load(counts, slot)))",
            "store(counts, slot, total)",
            (FITS,),
        ),
        ("> 0.5", "< 0.5", (FITS,)),
        ("where(load(x, k) > largest, load(x, k), largest)", "everywhere(0.0)", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/fits/em.py",
        ("LOWEST = -70.0", "LOWEST = -7.0", (FITS, OPTIMA)),
        ("LOWEST = -70.0", "LOWEST = -7000.0", (FITS, OPTIMA)),
        ("NO_PRIOR = 1e-300", "NO_PRIOR = 1e-3", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/fits/lanes/em.py",
        (" + problem.log_values[end - begin]", "", (FITS,)),
        ("fma(prior, relative, log_prior)", "fma(prior - 1.0, relative, log_prior)", (FITS,)),
        ("load(slots.counts, slot) + prior", "load(slots.counts, slot) + (prior - 1.0)", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/fits/lanes/vbem.py",
        (
            "fma(count, 0.0 - load(log_weights, k), entropy)",
            "fma(count, 0.0 - load(after, k), entropy)",
            (KERNEL,),
        ),
        ("value = (value - ratio) - log_of", "value = (value + ratio) - log_of", (KERNEL,)),
        ("        m = m / product\n", "", (KERNEL,)),
        ("load(expected_log, slot) - psi_total", "load(expected_log, slot)", (FITS,)),
    ),
    *by_their_text(
        "src/latentdag/kernel/functions.py",
        ("fma(large - 0.5, log_growth", "fma(large + 0.5, log_growth", (GAMMA,)),
        ("SHIFT = 8.0", "SHIFT = 6.0", (GAMMA,)),
        ("near = magnitude(e) < 0.5", "near = magnitude(e) < -1.0", (GAMMA,)),
        (
            "(a < SHIFT) & (a + n >= SHIFT), n - SHIFT",
            "(a < SHIFT) & (a + n >= SHIFT), n",
            (GAMMA,),
        ),
        ("0.5 * growth / (large * large_a)", "0.0 * growth / (large * large_a)", (GAMMA,)),
    ),
)
