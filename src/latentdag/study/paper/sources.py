"""Where each claim stands in its source, to the sentence."""

_PAPER = "paper, sec. 4.2, {}, sentence {}"
_SCORING = "Scoring all possible structures"
_SEQUEL = "Beal & Ghahramani 2006, Bayesian Analysis 1, 793-832, abstract, {}"

LAPLACE = "paper, sec. 1.2, paragraph on the Laplace approximation, sentence 4"
SMALLEST = _PAPER.format(_SCORING, 6)
TRENDS = _PAPER.format(_SCORING, 7)
ABOVE = _PAPER.format(_SCORING, 8)
CLOSE = _PAPER.format(_SCORING, 9)
EVENTUALLY = _PAPER.format("Rank of the True Model", 2)
FINDS = _PAPER.format("Rank of the True Model", 3)
SMALL_SIZES = _PAPER.format("Rank of the True Model", 4)
CONVERGE = _PAPER.format("Performance of AIS with Sampling Time", 3)
STEPS = _PAPER.format("Performance of AIS with Sampling Time", 4)
TIMES = _PAPER.format("Computation Time", 1)
APPROACHES = "paper, summary, sentence 5"
RELIABLE = _PAPER.format("Computation Time", 2)
E_STEP = "paper, sec. 3.1, last paragraph, sentence 2"
SAME_STARTS = _PAPER.format(_SCORING, 3)  # no claim but a setting, from which this study departs
BOUNDED = "thesis, sec. 2.6.1, eq. 2.132"
BIASED = "thesis, sec. 2.3.2, paragraph after eq. 2.78, sentence 3"
UNDERFITS = "thesis, sec. 2.4.3, paragraph after eq. 2.117, last sentence"
SUPERIOR = _SEQUEL.format("last sentence but one")
NOT_BELOW = _SEQUEL.format("last sentence")
OURS = "ours, from the paper's sizes"
