"""The estimator: hidden causes of categories, from a DataFrame to predictions for new rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit, fit
from latentdag.analysis.posterior_draws import DRAWS, TooManyRelabellings
from latentdag.data.counts import MAX_COUNT, Counts
from latentdag.data.tables import MISSING_TEXT, Table, codes_of, marked, read_table
from latentdag.drawing import best_structures, profiles, shared_causes
from latentdag.model.parameters import Prior
from latentdag.model.structures import Family, Structure
from latentdag.ranking.prior import PRIOR, check_prior
from latentdag.ranking.rank import rank_structures
from latentdag.ranking.ranking import Ranking
from latentdag.ranking.trust import choose, likely_scored
from latentdag.scores import SPECS, check_settings, score, settings_used, what_failed

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_array, check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "LatentCauses needs scikit-learn, pandas and matplotlib: pip install 'latentdag[estimator]'"
    ) from error

PARAMETERS = ["variable", "given", "value", "estimate", "probability"]
PARAMETERS += ["mean", "low", "high", "effective_draws"]


@dataclass(repr=False, eq=False)
class LatentCauses(BaseEstimator):
    """Which hidden causes explain the associations of categorical variables, and in which states of
    these causes is each case?

    ``fit`` scores every structure of the causes ``hidden``, ranks them by their posterior
    probability, and fits the parameters of the most probable one, by which it predicts. With a
    ``structure`` it fits that one alone. It is an estimator of scikit-learn, and takes part in a
    `Pipeline`, in `GridSearchCV` and in metadata routing.

    Parameters
    ----------
    hidden : int, sequence of int, or sequence of these
        Number of states of each hidden variable, such as ``(2, 2)``. An integer stands for one
        variable, and 1 for none. Several such families are compared.
    structure : str or None
        A label, such as ``"1-1-12-2"``: the causes of each variable, in the order of the columns.
        A label of one part holds for all variables: ``"1"`` is the latent class model. None scores
        all structures.
    method : str or None
        One of `latentdag.METHODS`; None: the most trusted one that the size of the work allows
        (`latentdag.ranking.trust.choose`).
    alpha, alpha_hidden : float
        Dirichlet parameters of the observed and of the hidden variables. ``alpha_hidden`` may be
        None: that of the observed ones.
    prior : str
        What is equally probable before the data: ``"classes"`` of structures with equal
        distributions, ``"structures"``, or ``"families"``.
    search : int or None
        Width of a beam search among the structures. None scores all.
    estimate : str
        ``"map"`` or ``"ml"``: the parameters by which is predicted.
    draws : int
        Posterior draws of each of four chains, for 90 % intervals; 0: none.
    replicates : int
        Tables that are simulated for the p-value of the fit; 0: none.
    levels : mapping of str to sequence or int, or None
        The values of some columns in their order, by name, as for `latentdag.read_table`; an int k:
        0, ..., k - 1. Those of others are the categories of the column, or what occurs in it.
    missing : sequence of str
        Texts that mean that there is no value; None, nan and pandas.NA do, too.
    unknown : str
        What `predict` and its like do with a value that is no level: raise an ``"error"``, or take
        it for ``"missing"``.
    settings : mapping or None
        Settings of the method and of the estimate, such as ``{"restarts": 50}``.
    seed : int
        Root of the random streams. The same rows give the same results.
    cores : int or None
        Processor cores for scores; None: all. No result depends on it.

    Attributes
    ----------
    ranking_ : latentdag.Ranking
        The ranking of the structures, from which the next three are tables.
    structures_ : DataFrame
        A row for each structure, the most probable first.
    causes_ : DataFrame
        p(so many causes with so many states), by class of equal distributions.
    links_ : DataFrame
        p(two variables share a cause).
    parameters_ : DataFrame
        The probability of each value given the states of its causes, with intervals.
    memberships_ : DataFrame
        A row for each row that was fitted, with its index: the probability of each joint state of
        the causes, the most probable one, and the entropy in nats.
    fit_ : DataFrame
        One row: ln likelihood, G2, X2, degrees of freedom, AIC, BIC, at the maximum likelihood. AIC
        and BIC count the effective dimension, AIC_parameters and BIC_parameters all parameters.
    states_ : DataFrame
        The joint states of the causes, which `predict` gives by their numbers from 0.
    structure_, method_, levels_ : Structure, str, dict
        The structure of the predictions, the method of the scores, and the values of each variable.
    n_features_in_, feature_names_in_ : int, array of str
        As in scikit-learn.

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "structures_")

    # fitting

    def fit(self, X, y=None, sample_weight=None) -> LatentCauses:
        """Score the structures, fit the parameters of the most probable one, and return the
        estimator.

        ``X`` are rows of categories: a DataFrame of strings, categories, booleans or integers with
        None, nan or pandas.NA where a value is missing (at random), or an array (n, J).
        ``sample_weight`` (n,) says how many cases each row stands for; a row of none is left out.
        ``y`` is not read. Raises ValueError naming the row and column at fault, or the parameter,
        and TypeError for what is no table of categories.
        """
        frame = self._frame(X, reset=True)
        weights = _counts_of(sample_weight, len(frame))
        if np.count_nonzero(weights) == 1 and not self.levels:
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
        counted, count = frame, None
        if sample_weight is not None:
            (count,) = marked(["cases"], frame.columns)
            counted = frame.assign(**{count: weights})
        table = read_table(counted, count, self.levels, self.missing)
        for remark in table.remarks:
            warnings.warn(remark, stacklevel=2)
        ranking = self._ranking(table)
        if np.isnan(ranking.probabilities).all():
            reasons = "; ".join({s.reason for s in ranking.scores})
            raise ValueError(f"no structure has a score by {ranking.method}: {reasons}")
        for line in what_failed(ranking.scores):
            warnings.warn(line, stacklevel=2)

        self.levels_ = dict(zip(table.names, table.levels, strict=True))
        self.method_, self._table, self.ranking_ = ranking.method, table, ranking
        self.structures_, self.links_ = ranking.to_frame(), ranking.pairs()
        causes = ranking.causes()
        self.causes_ = causes[causes["probability"] > 0].reset_index(drop=True)
        self._fit_best(ranking.structures[0])
        frame = frame[weights > 0]
        of_rows = fit_tables.membership_columns(self._fit_of(frame))
        self.memberships_ = pd.DataFrame(of_rows, index=frame.index)
        return self

    def _frame(self, X, reset: bool) -> pd.DataFrame:
        """The rows as a DataFrame; an array, or what becomes one, has columns y1 to yJ."""
        X = X.to_pandas() if hasattr(X, "to_pandas") else X
        if not isinstance(X, pd.DataFrame):
            X = X if hasattr(X, "dtype") or hasattr(X, "toarray") else np.asarray(X, dtype=object)
            X = check_array(X, dtype=None, ensure_all_finite="allow-nan", estimator=self)
            names = [f"y{j + 1}" for j in range(X.shape[1])]
            validate_data(self, X, reset=reset, skip_check_array=True)
            return pd.DataFrame(X, columns=names).infer_objects()
        validate_data(self, X, reset=reset, skip_check_array=True)
        for number, noun in zip(X.shape[::-1], ("column", "row"), strict=True):
            if not number:
                raise ValueError(f"the table has no {noun}: a minimum of 1 is required")
        return X.set_axis([str(name) for name in X.columns], axis=1)

    def _families(self, table: Table) -> list[Family]:
        hidden = self.hidden
        if isinstance(hidden, int | np.integer):
            hidden = (hidden,)
        if not hasattr(hidden, "__len__") or not len(hidden):
            raise ValueError(f"hidden must be numbers of states, got {hidden!r}")
        of_families = hidden if any(hasattr(states, "__len__") for states in hidden) else [hidden]
        of_families = [
            states if hasattr(states, "__len__") else (states,) for states in of_families
        ]
        return [table.family(() if tuple(states) == (1,) else states) for states in of_families]

    def _ranking(self, table: Table) -> Ranking:
        """All structures, those that a search reaches, or the one given, ranked."""
        families, structure = self._families(table), None
        if self.structure is not None:
            if len(families) > 1:
                raise ValueError("hidden: a structure has one family, not several")
            label = str(self.structure)
            if "-" not in label:
                label = "-".join([label] * len(table.names))
            if not families[0].hidden:  # one class
                label = label.replace("1", "0")
            structure = Structure.from_label(label, families[0])
            families = [structure.without_childless().family]
        number = 1 if structure else likely_scored(families, self.search)
        method = self.method or choose(table.counts, families, number)[0]
        believed = [name for name, spec in SPECS.items() if spec.posterior]
        if method not in believed:
            raise ValueError(f"method must be one of {', '.join(believed)}, got {method!r}")
        check_settings(self.settings or {}, method, self.estimate)
        settings = self._settings_of(method) | {"cores": self.cores}
        if structure:
            scores = [score(table, structure, method, **settings)]
            return Ranking.of(scores, families, self.prior, table.names)
        settings |= {"prior": self.prior, "search": self.search}
        return rank_structures(table, families, method, **settings)

    def _settings_of(self, method: str) -> dict:
        """The ``settings`` that a method has, and those of every method."""
        used = settings_used(method)
        settings = {name: value for name, value in (self.settings or {}).items() if name in used}
        of_all = {"alpha": self.alpha, "alpha_hidden": self.alpha_hidden, "seed": self.seed}
        return settings | of_all

    def _fit_best(self, structure: Structure) -> None:
        """The parameters of the most probable structure, their intervals, and how well it fits."""
        counts, settings = self._table.counts, self._settings_of("ml")
        try:
            fitted = fit(counts, structure, self.estimate, draws=self.draws, **settings)
        except TooManyRelabellings as error:
            warnings.warn(f"no intervals: {error}", stacklevel=3)
            fitted = fit(counts, structure, self.estimate, **settings)
        parameters = pd.DataFrame(fit_tables.parameters(fitted, self._table))
        self.parameters_ = parameters.reindex(columns=PARAMETERS)
        best = fit(counts, structure, "ml", replicates=self.replicates, **settings)
        self.fit_ = pd.DataFrame(fit_tables.statistics(best, self._table))
        if not (fitted.converged and best.converged):
            warnings.warn("the fit did not converge: allow more iterations", stacklevel=3)
        if best.unidentified:
            warnings.warn(fit_tables.UNIDENTIFIED, stacklevel=3)
        self._fitted = replace(fitted, draws=None)
        self.structure_ = fitted.structure
        states = [f"s{h + 1}" for h in range(fitted.states.shape[1])]
        self.states_ = pd.DataFrame(fitted.states + 1, columns=states)
        self.states_["name"] = fit_tables.names_of_states(fitted)

    # new rows

    def _new(self, X) -> Fit:
        """The fit of new rows, `_fit_of`."""
        check_is_fitted(self)
        return self._fit_of(self._frame(X, reset=False))

    def _fit_of(self, frame: pd.DataFrame) -> Fit:
        """The fit of rows, each a pattern of its own, as what follows is asked of each."""
        codes = codes_of(frame, self._table, self.missing, self.unknown)
        return replace(self._fitted, counts=Counts(codes, np.ones(len(codes), dtype=np.int64)))

    def predict(self, X) -> np.ndarray:
        """The most probable joint state of the causes of each row, (n,): a row of ``states_``,
        counted from 0.

        Raises ValueError for columns that are not those that were fitted, and for a value that is
        no level unless it is ``unknown="missing"``.
        """
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X) -> np.ndarray:
        """p(joint state of the causes given the row), (n, H), in the order of ``states_``; of a row
        without any value the probabilities of the states themselves. Raises ValueError as `predict`
        does.
        """
        return self._new(X).memberships

    def score_samples(self, X) -> np.ndarray:
        """ln p(row given the parameters) of each row in nats, (n,); values that are missing are
        summed over. Raises ValueError as `predict` does.
        """
        return self._new(X).log_probabilities

    def score(self, X, y=None, sample_weight=None) -> float:
        """The mean of `score_samples` over the cases, in nats; ``sample_weight`` (n,) says how many
        cases each row stands for, as in `fit`, and ``y`` is not read. Raises ValueError as
        `predict` does.
        """
        values = self.score_samples(X)
        return float(np.average(values, weights=_counts_of(sample_weight, len(values))))

    # pictures

    def plot_structures(self) -> np.ndarray:
        """Draw the links of the most probable structures as graphs, one for each set of causes,
        darker where more probable. Returns an array of matplotlib's axes, whose ``figure`` is the
        picture.
        """
        check_is_fitted(self)
        figure = best_structures.graphs(self.ranking_.probable_links(), self.ranking_.variables)
        return np.array(figure.axes, dtype=object)

    def plot_profiles(self) -> np.ndarray:
        """Draw what the states of the causes mean: the probability of each value given them, with
        its interval. Returns an array of matplotlib's axes, one for each column of the picture.
        """
        check_is_fitted(self)
        fitted = self.parameters_.astype(dict.fromkeys(("mean", "low", "high"), float))
        fitted["shown"] = fitted["mean"].fillna(fitted["probability"])
        ranking = self.ranking_
        best = ranking.structures[0], ranking.names[0], ranking.probabilities[0]
        figure = profiles.profiles(fitted, *best, self.method_)
        return np.array(figure.axes, dtype=object)

    def plot_links(self) -> Axes:
        """Draw how probable it is that two variables share a cause, by pair, as a square of cells.
        Returns matplotlib's axes, whose ``figure`` is the picture.
        """
        check_is_fitted(self)
        pairs = self.links_.itertuples(index=False, name=None)
        return shared_causes.matrix(pairs, self.ranking_.variables, self.method_).axes[0]


def _counts_of(sample_weight, n: int) -> np.ndarray:
    """How many cases each of ``n`` rows stands for, (n,): integers from 0; 1 for None."""
    if sample_weight is None:
        return np.ones(n, dtype=np.int64)
    weights = np.asarray(sample_weight, dtype=float)
    weights = np.full(n, weights) if weights.ndim == 0 else weights
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: it must have one number for each of {n} rows"
        )
    counts = np.isfinite(weights) & (weights >= 0) & (weights == np.floor(weights))
    if not counts.all():
        raise ValueError("sample_weight must be counts of cases: integers from 0")
    if weights.sum() > MAX_COUNT:
        raise ValueError(f"sample_weight sums to {weights.sum():g}: at most 2^53 cases are counted")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: at least one case is needed")
    return weights.astype(np.int64)
