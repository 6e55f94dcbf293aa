"""Fit the latent class models that were published, and put their numbers beside ours."""

from latentdag.analysis.fit import fit
from latentdag.study.own_data.published import latent_classes, published_rows
from lib.files import read_cases
from lib.job import step


@step
def main(cases, published, observed, seed, settings):
    cases, rows = read_cases(cases), []
    for model in published:
        structure = latent_classes(model["classes"], observed)
        best = fit(cases, structure, "ml", seed=seed, **settings)
        print(f"{structure.family.hidden[0]} classes: ln likelihood {best.log_likelihood:.4f}")
        rows += published_rows(model, best)
    return {"published": rows}
