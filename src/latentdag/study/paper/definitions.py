"""What the words of the claims mean in a study: the definitions that each `Claim` carries."""

from latentdag.engine.significance import CLAIMED
from latentdag.study.one_draw.score_differences import GROWTH_FACTOR
from latentdag.study.paper.claims import ALMOST, CONVERGED, FACTOR, INACCURATE, SETTLED, UNDERFITS

FINDS = "*Finds*: ranks the true structure first at this size and at every larger one."
SMALLEST = "*Smallest size*: agrees only if it is the source's, not an earlier one."
ALMOST_ALWAYS = f"*Almost always*: VB ranks lower at {100 * ALMOST:g} % of the sizes at most."
NOISY = (
    "*Noisy*: after its first size, AIS loses the first place at a larger share of the sizes than "
    "the reference, VB and BIC."
)
FEWER = "*Fewer cases*: the same size for both decides nothing."
RELIABLY = "*More reliably*: VB finds it at fewer cases."
APPROACHES = f"*Approaches*: VB finds it at up to {FACTOR:g} times the cases of AIS."
EVENTUALLY = "*Eventually*: at the largest size. No finite size can refute this."
ABOVE = f"*Above*: no structure's AIS lies below VB by more than {CLAIMED:g} standard errors."
CLOSE = "*Close*: not judged. The paper gives no distance."
STEPS = (
    f"*About*, of steps: within a factor of {FACTOR:g}. From this run's number on the median "
    "chain lies above the score; in brackets, the log mean weight."
)
CONVERGE = f"*Converge*: all chains lie within {CONVERGED:g} nats."
TIMES = (
    "*Time*: not judged. It depends on programs and machines. BIC's includes EM, and VB's does not."
)
AS_MUCH = f"*About as much*: within a factor of {FACTOR:g}."
INACCURATE_FOR_FEW = (
    f"*Inaccurate*: the mean absolute error at the smallest size is above {INACCURATE:g} nat."
)
BOUNDED = (
    f"*Bounded*: VB minus BIC changes by less than {SETTLED:g} nats per unit of ln n from "
    f"n/{GROWTH_FACTOR:g} to the largest n."
)
BIASED = (
    "*Biased to simpler models*: by least squares VB minus reference decreases with the "
    f"parameters by more than {CLAIMED:g} standard errors, at all but {100 * ALMOST:g} % of the "
    "sizes."
)
UNDERFIT = (
    f"*Underfits*: at the largest size the mean bound is more than {UNDERFITS:g} nat below VB's."
)
PRUNES = "*Prunes too much*: leaves more states with less than 1 % of the cases than VB."
SUPERIOR = "*VB is superior*: it ranks the true structure higher at more sizes than lower."
