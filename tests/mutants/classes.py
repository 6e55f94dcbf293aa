"""Mistakes in the statistics by class of equal distributions, and in their sections."""

from mutant import by_their_text

CLASSES = "tests/unit/study/test_classes.py"
DATA = "tests/unit/study/test_data_statistics.py"
DATA_SECTIONS = "tests/unit/report/test_data_sections.py"
SECTIONS = "tests/unit/report/test_sections.py"

OF_CLASSES = (
    *by_their_text(
        "src/latentdag/study/classes.py",
        ("np.logaddexp.reduce(own, axis=-1)", "np.max(own, axis=-1)", (CLASSES,)),
        (
            "np.sort(scores[..., numbers == c], axis=-1)",
            "scores[..., numbers == c]",
            (CLASSES,),
        ),
        (
            "np.bincount(numbers[~np.isnan(values)], minlength=len(names))",
            "np.bincount(numbers, minlength=len(names))",
            (CLASSES,),
        ),
        ("masses[there] - np.log(members[there])", "masses[there]", (CLASSES,)),
        ("probability=classes[prior]", 'probability=classes["probability"]', (CLASSES,)),
    ),
    *by_their_text(
        "src/latentdag/study/ranks.py",
        ("log_masses(redrawn, numbers)", "log_masses(scores, numbers)[None]", (CLASSES,)),
        ("if SPECS[method].posterior and known.any()", "if known.any()", (CLASSES,)),
        ("names[int(np.argmax(masses))]", "names[of_true]", (CLASSES,)),
        ("wide = by_size(ranks, of)", "wide = by_size(ranks)", (CLASSES,)),
    ),
    *by_their_text(
        "src/latentdag/study/own_data.py",
        (
            "s.without_childless().n_parameters",
            "s.n_parameters",
            (DATA,),
        ),
        ("ascending=False", "ascending=True", (DATA,)),
        ("ranked[before < ENOUGH]", "ranked[ranked[method] < ENOUGH]", (DATA,)),
        (".shift(fill_value=0.0)", "", (DATA,)),
    ),
    *by_their_text(
        "src/latentdag/report/data/posterior_over_structures.py",
        ("mass.drop(shown)", "mass", (DATA_SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/study/by_class_of_equal_distributions.py",
        (
            '(as_posterior(classes, "equal_classes"), own)',
            "(as_posterior(classes), own)",
            (SECTIONS,),
        ),
        ("_size(of_one[m])", "_size(first[m])", (SECTIONS,)),
    ),
    *by_their_text(
        "src/latentdag/report/data/posterior_over_classes.py",
        ("number(equal.loc[name, method]", "number(masses.loc[name, method]", (DATA_SECTIONS,)),
        ("effective_number(equal[method])", "effective_number(masses[method])", (DATA_SECTIONS,)),
    ),
)
