"""The public names, and where they are defined."""

from .analysis.estimates import estimate as estimate
from .analysis.fit import Fit as Fit
from .analysis.fit import fit as fit
from .data.counts import Counts as Counts
from .data.tables import Table as Table
from .data.tables import read_table as read_table
from .engine.version import __version__ as __version__
from .estimator.latent_causes import LatentCauses as LatentCauses
from .model.dimension import effective_dimension as effective_dimension
from .model.parameters import Draw as Draw
from .model.parameters import Parameters as Parameters
from .model.parameters import Prior as Prior
from .model.parameters import draw_parameters as draw_parameters
from .model.parameters import draw_study as draw_study
from .model.parameters import simulate as simulate
from .model.structures import Family as Family
from .model.structures import Structure as Structure
from .model.structures import enumerate_structures as enumerate_structures
from .ranking.rank import rank_structures as rank_structures
from .ranking.ranking import Ranking as Ranking
from .scores import METHODS as METHODS
from .scores import score as score
from .scores import score_structures as score_structures
from .scores.base import Score as Score
