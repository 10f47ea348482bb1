from .predict import PredictionOptions as PredictionOptions
from .predict import load as load

__version__: str
