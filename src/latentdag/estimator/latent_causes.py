"""The estimator: hidden causes of categories, from a DataFrame to predictions for new rows."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit, fit
from latentdag.analysis.posterior_draws import DRAWS, TooManyNames
from latentdag.data.counts import MISSING, Counts, places
from latentdag.data.tables import MISSING_TEXT, Table, codes_of, read_table
from latentdag.estimator import rows
from latentdag.figures.best_structures import best_structures
from latentdag.figures.profiles import profiles
from latentdag.figures.shared_causes import matrix
from latentdag.model.parameters import Prior
from latentdag.model.structures import Family, Structure
from latentdag.scores import check_settings, score_structures, settings_used, what_failed
from latentdag.scores.base import Score
from latentdag.search.beam import search_families
from latentdag.search.ranking import PRIOR, check_prior, log_prior, model_of
from latentdag.search.trust import choose, likely_scored
from latentdag.study.one_draw.posterior import BELIEVED, posterior
from latentdag.study.own_data import marginals, structures_table
from latentdag.study.own_data.fitted import parameter_rows
from latentdag.study.schema.candidates import causes_in_words, name

STRUCTURES = ["structure", "causes", "probability", "score", "standard_error", "n_parameters"]
STRUCTURES += ["dimension", "class", "prior", "hidden", "n_links"]
PARAMETERS = ["variable", "given", "value", "estimate", "probability"]
PARAMETERS += ["mean", "low", "high", "effective_draws"]


@dataclass(repr=False, eq=False)
class LatentCauses:
    """Which hidden causes explain the associations of categorical variables, and in which states of
    these causes is each case?

    ``fit`` scores every structure of the causes ``hidden``, ranks them by their posterior
    probability, and fits the parameters of the most probable one, by which it predicts. With a
    ``structure`` it fits that one alone. The interface is that of scikit-learn, which need not be
    installed: the estimator is cloned, pickled, and takes part in a `Pipeline` and `GridSearchCV`.

    Parameters
    ----------
    hidden : the number of states of each hidden variable, such as ``(2, 2)``; an integer stands for
        one variable, and 1 for none; or a list of several such families, which are compared.
    structure : None to score all structures; or a label, such as ``"1-1-12-2"``: the causes of each
        variable, in the order of the columns. A label of one part holds for all variables: ``"1"``
        is the latent class model.
    method : one of `latentdag.METHODS`, or None: the most trusted one that the size of the work
        allows (`latentdag.search.trust.choose`).
    alpha, alpha_hidden : Dirichlet parameters of the observed and of the hidden variables; None:
        that of the observed ones.
    prior : what is equally probable before the data: ``"classes"`` of structures with equal
        distributions, ``"structures"``, or ``"families"``.
    search : None to score all structures; or the width of a beam search among them.
    estimate : ``"map"`` or ``"ml"``: the parameters by which is predicted.
    draws : posterior draws of each of four chains, for 90 % intervals; 0: none.
    replicates : tables that are simulated for the p-value of the fit; 0: none.
    levels : the values of some columns in their order, by name, as for `latentdag.read_table`;
        those of others are the categories of the column, or found in it.
    missing : texts that mean that there is no value; None, nan and pandas.NA do, too.
    unknown : what `predict` and its like do with a value that is no level: ``"error"``, or take it
        for ``"missing"``.
    settings : settings of the method and of the estimate, such as ``{"restarts": 50}``.
    seed : root of the random streams. The same rows give the same results.
    cores : processor cores for scores; None: all. No result depends on it.

    Attributes
    ----------
    structures_ : a row for each structure, the most probable first.
    causes_ : p(so many causes with so many states), by class of equal distributions.
    links_ : p(two variables share a cause).
    parameters_ : the probability of each value given the states of its causes, with intervals.
    memberships_ : a row for each row that was fitted, with its index: the probability of each joint
        state of the causes, the most probable one, and the entropy in nats.
    fit_ : one row: ln likelihood, G2, X2, degrees of freedom, AIC, BIC, at the maximum likelihood.
        AIC and BIC count the effective dimension, AIC_parameters and BIC_parameters all parameters.
    states_ : the joint states of the causes, which `predict` gives by their numbers from 0.
    structure_, method_, levels_ : the structure of the predictions, the method of the scores, and
        the values of each variable.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> import pandas as pd
    >>> answers = pd.DataFrame(
    ...     {"first": ["yes", "no"] * 20, "second": ["yes", "no"] * 20, "third": ["a", "b"] * 20}
    ... )
    >>> model = LatentCauses(hidden=2, draws=0).fit(answers)
    >>> model.structures_["structure"].iloc[0]
    '1-1-1'
    >>> int(model.causes_["n_causes"].iloc[0])
    1
    >>> new = pd.DataFrame({"first": ["yes", None], "second": ["yes", "no"], "third": ["a", None]})
    >>> states = model.predict(new)
    >>> bool(states[0] != states[1])
    True
    >>> model.predict_proba(new).shape, model.score_samples(new).shape
    ((2, 2), (2,))
    >>> model.set_params(hidden=3, structure="1").get_params()["structure"]
    '1'
    """

    hidden: int | Sequence[int] | Sequence[Sequence[int]] = (2, 2)
    _: KW_ONLY
    structure: str | None = None
    method: str | None = None
    alpha: float = Prior.alpha
    alpha_hidden: float | None = None
    prior: str = PRIOR
    search: int | None = None
    estimate: str = "map"
    draws: int = DRAWS
    replicates: int = 0
    levels: Mapping[str, Sequence | int] | None = None
    missing: Sequence[str] = MISSING_TEXT
    unknown: str = "error"
    settings: Mapping[str, int] | None = None
    seed: int = 0
    cores: int | None = 1

    # the conventions of scikit-learn

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> "LatentCauses":
        """Change some parameters. Raises ValueError for an unknown name."""
        known = self.get_params()
        for key, value in params.items():
            if key not in known:
                raise ValueError(
                    f"Invalid parameter {key!r} for estimator {self!r}. Valid parameters are: "
                    f"{', '.join(known)}"
                )
            setattr(self, key, value)
        return self

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "structures_")

    def __repr__(self) -> str:
        defaults = {field.name: field.default for field in fields(self)}
        changed = {k: v for k, v in self.get_params().items() if repr(v) != repr(defaults[k])}
        return f"LatentCauses({', '.join(f'{k}={v!r}' for k, v in changed.items())})"

    def _repr_html_(self) -> str:
        words = f"<p><code>{escape(repr(self))}</code>"
        if not self.__sklearn_is_fitted__():
            return f"{words}, not fitted</p>"
        first = self.structures_.iloc[0]
        summary = (
            f"{self._table.n} cases of {self.n_features_in_} variables; the most probable of "
            f"{len(self.structures_)} structures by {self.method_} is {first['structure']} "
            f"(probability {first['probability']:.2g})"
        )
        shown = self.structures_[["structure", "causes", "probability"]].head(5)
        table = shown.to_html(index=False, float_format="{:.3g}".format)
        return f"{words}: {escape(summary)}</p>{table}"

    # fitting

    def fit(self, X, y=None, sample_weight=None) -> "LatentCauses":
        """Score the structures, and fit the parameters of the most probable one.

        ``X`` are rows of categories: a DataFrame of strings, categories, booleans or integers with
        None, nan or pandas.NA where a value is missing (at random), or an array (n, J).
        ``sample_weight`` (n,) says how many cases each row stands for; a row of none is left out.
        ``y`` is not read. Raises ValueError naming the row and column at fault, or the parameter,
        and TypeError for what is no table of categories.
        """
        frame, names = rows.frame_of(X), rows.names_of(X)
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        weights = rows.counts_of(sample_weight, len(frame))
        frame, weights = frame[weights > 0], weights[weights > 0]
        if len(frame) == 1 and not self.levels:
            raise ValueError("one sample has one value of each variable: give the levels, or more")
        check_prior(self.prior)
        if self.estimate not in ("map", "ml"):
            raise ValueError(f"estimate must be map or ml, got {self.estimate!r}")
        for key, kind, noun in (
            ("settings", Mapping | None, "a mapping"),
            ("levels", Mapping | None, "a mapping"),
            ("missing", Iterable, "texts"),
        ):
            if not isinstance(value := getattr(self, key), kind):
                raise ValueError(f"{key} must be {noun}, got {value!r}")
        table = read_table(frame, levels=self.levels, missing=self.missing)
        for remark in table.remarks:
            warnings.warn(remark, stacklevel=2)
        codes = codes_of(frame, table, self.missing, self.unknown)
        seen = (codes != MISSING).any(axis=1)
        table = replace(table, counts=Counts.of(codes[seen], weights[seen]))
        own = {"alpha": self.alpha, "alpha_hidden": self.alpha_hidden, "seed": self.seed}
        families = self._families(table)
        scores, method = self._scores(table, families, own | {"cores": self.cores})

        self.n_features_in_ = frame.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.levels_ = dict(zip(table.names, table.levels, strict=True))
        self.method_, self._table = method, table
        best = self._rank(scores, families)
        self._fit_best(best, own | self._settings_of("ml"))
        self.memberships_ = self._memberships(codes, frame.index)
        return self

    def _families(self, table: Table) -> list[Family]:
        hidden = self.hidden
        if isinstance(hidden, int | np.integer):
            hidden = (hidden,)
        if not hasattr(hidden, "__len__") or not len(hidden):
            raise ValueError(f"hidden must be numbers of states, got {hidden!r}")
        of_families = hidden if any(hasattr(own, "__len__") for own in hidden) else [hidden]
        of_families = [own if hasattr(own, "__len__") else (own,) for own in of_families]
        return [table.family(() if tuple(own) == (1,) else own) for own in of_families]

    def _scores(self, table: Table, families: list[Family], given: dict) -> tuple[list[Score], str]:
        """The scores of the structures, and the method."""
        structures = None  # where a search finds them
        if self.structure is not None:
            if len(families) > 1:
                raise ValueError("hidden: a structure has one family, not several")
            label = str(self.structure)
            if "-" not in label:
                label = "-".join([label] * len(table.names))
            if not families[0].hidden:  # one class
                label = label.replace("1", "0")
            structures = [Structure.from_label(label, families[0])]
            families = [structures[0].without_childless().family]
        elif self.search is None:
            structures = structures_table.enumerated(families)
        number = likely_scored(families, self.search) if structures is None else len(structures)
        method = self.method or choose(table.counts, families, number)[0]
        if method not in BELIEVED:
            raise ValueError(f"method must be one of {', '.join(BELIEVED)}, got {method!r}")
        check_settings(self.settings or {}, method, self.estimate)
        settings = given | self._settings_of(method)
        if structures is None:
            scores = search_families(table, families, method, width=self.search, **settings)
            if len(families) > 1:
                scores = [replace(s, structure=model_of(s.structure)) for s in scores]
            return scores, method
        found = {}
        for family in dict.fromkeys(s.family for s in structures):
            own = [s for s in structures if s.family == family]
            found |= zip(own, score_structures(table, own, method, **settings), strict=True)
        return [found[s] for s in structures], method

    def _settings_of(self, method: str) -> dict:
        """Those of the ``settings`` that a method has."""
        used = settings_used(method)
        return {name: value for name, value in (self.settings or {}).items() if name in used}

    def _rank(self, scores: Sequence[Score], families: Sequence[Family]) -> Structure:
        """The most probable structure; makes the tables of structures, causes and links."""
        several, names = len(families) > 1, list(self.levels_)
        known = {name(s.structure, several): s.structure for s in scores}
        about = pd.DataFrame(structures_table.rows(known.values(), several))
        found = pd.DataFrame([s.row() for s in scores])
        if found["score"].isna().all():
            reasons = "; ".join({s.reason for s in scores})
            raise ValueError(f"no structure has a score by {self.method_}: {reasons}")
        for line in what_failed(scores):
            warnings.warn(line, stacklevel=3)
        found = found.assign(draw=0, structure=list(known), n_parameters=about["n_parameters"])
        alone = self.structure is not None
        prior = [0.0] if alone else log_prior(list(known.values()), families, self.prior)
        table = posterior(found, pd.Series(prior, index=list(known)))
        ranked = about.merge(found[["structure", "score", "standard_error"]])
        ranked = ranked.merge(table[["structure", "probability", "prior"]])
        ranked["causes"] = [causes_in_words(s, names, most=len(names)) for s in known.values()]
        self.structures_ = _most_probable_first(ranked[STRUCTURES])
        causes = marginals.causes(table, known).drop(columns=["method", "probability"])
        causes = causes.rename(columns={"causes": "states", "of_classes": "probability"})
        self.causes_ = _most_probable_first(causes[causes["probability"] > 0])
        links = marginals.links(table, known, names).drop(columns="method")
        links = links.rename(columns={"first_name": "first", "second_name": "second"})
        self.links_ = _most_probable_first(links)
        return known[self.structures_["structure"].iloc[0]]

    def _fit_best(self, structure: Structure, settings: Mapping) -> None:
        """The parameters of the most probable structure, their intervals, and how well it fits."""
        counts = self._table.counts
        try:
            found = fit(counts, structure, self.estimate, draws=self.draws, **settings)
        except TooManyNames as error:
            warnings.warn(f"no intervals: {error}", stacklevel=3)
            found = fit(counts, structure, self.estimate, **settings)
        parameters = pd.DataFrame(parameter_rows("", found, self._table))
        self.parameters_ = parameters[PARAMETERS]
        best = fit(counts, structure, "ml", replicates=self.replicates, **settings)
        self.fit_ = pd.DataFrame(fit_tables.statistics(best, self._table))
        if not (found.converged and best.converged):
            warnings.warn("the fit did not converge: allow more iterations", stacklevel=3)
        if best.unidentified:
            warnings.warn(fit_tables.UNIDENTIFIED, stacklevel=3)
        self._fitted = replace(found, draws=None)
        self.structure_ = found.structure
        states = [f"s{h + 1}" for h in range(found.states.shape[1])]
        self.states_ = pd.DataFrame(found.states + 1, columns=states)
        self.states_["name"] = fit_tables.names_of_states(found)

    # new rows

    def _new(self, X) -> tuple[Fit, np.ndarray]:
        """The fit of the patterns of some rows, and which pattern each row is, (n,)."""
        self._check_is_fitted()
        frame, fitted = rows.frame_of(X), getattr(self, "feature_names_in_", None)
        rows.check_names(X, frame.shape[1], self.n_features_in_, fitted)
        return self._pattern_fit(codes_of(frame, self._table, self.missing, self.unknown))

    def _pattern_fit(self, codes: np.ndarray) -> tuple[Fit, np.ndarray]:
        counts = Counts.of(codes)
        return replace(self._fitted, counts=counts), places(codes, counts.patterns)

    def _memberships(self, codes: np.ndarray, index: pd.Index) -> pd.DataFrame:
        found, which = self._pattern_fit(codes)
        states, p = self.states_["name"], found.memberships[which]
        table = pd.DataFrame(p, index, [f"p({s})" for s in states])
        table["most_probable"] = states.to_numpy()[p.argmax(axis=1)]
        table["entropy"] = found.entropies[which]
        return table

    def predict(self, X) -> np.ndarray:
        """The most probable joint state of the causes of each row, (n,): a row of ``states_``,
        counted from 0.

        Raises ValueError for columns that are not those that were fitted, and for a value that is
        no level unless it is ``unknown="missing"``.
        """
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X) -> np.ndarray:
        """p(joint state of the causes given the row), (n, H), in the order of ``states_``; of a row
        without any value those of the states themselves. Raises ValueError as `predict` does.
        """
        found, which = self._new(X)
        return found.memberships[which]

    def score_samples(self, X) -> np.ndarray:
        """ln p(row given the parameters) of each row in nats, (n,); values that are missing are
        summed over. Raises ValueError as `predict` does.
        """
        found, which = self._new(X)
        return found.log_probabilities[which]

    def score(self, X, y=None, sample_weight=None) -> float:
        """The mean of `score_samples` over the cases, in nats; ``y`` is not read."""
        values = self.score_samples(X)
        return float(np.average(values, weights=rows.counts_of(sample_weight, len(values))))

    # pictures

    def plot_structures(self) -> np.ndarray:
        """The links of the most probable structures as graphs, one for each set of causes, darker
        where more probable: an array of matplotlib's axes, whose ``figure`` is the picture.
        """
        self._check_is_fitted()
        tables = self._posterior(), self.structures_, self._variables()
        figure = best_structures(*tables, self._table.cardinalities, self.method_)
        return np.array(figure.axes, dtype=object)

    def plot_profiles(self) -> np.ndarray:
        """What the states of the causes mean: the probability of each value given them, with its
        interval. An array of matplotlib's axes, one for each column of the picture.
        """
        self._check_is_fitted()
        best = self.structures_["structure"].iloc[0]
        parameters = self.parameters_.assign(structure=best, estimate="map")
        intervals = ["mean", "low", "high"]
        parameters[intervals] = parameters[intervals].astype(float)
        tables = parameters, self._posterior(), self.structures_
        figure = profiles(*tables, self._table.cardinalities, self.method_)
        return np.array(figure.axes, dtype=object)

    def plot_links(self) -> Axes:
        """How probable it is that two variables share a cause, by pair: matplotlib's axes."""
        self._check_is_fitted()
        links = self.links_.rename(columns={"first": "first_name", "second": "second_name"})
        links["method"] = self.method_
        return matrix(links, self._variables(), self.method_).axes[0]

    def _check_is_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise rows.not_fitted()

    def _posterior(self) -> pd.DataFrame:
        return self.structures_.assign(draw=0, method=self.method_)

    def _variables(self) -> pd.DataFrame:
        return pd.DataFrame({"variable": j + 1, "name": n} for j, n in enumerate(self.levels_))


def _most_probable_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("probability", ascending=False, kind="stable").reset_index(drop=True)
