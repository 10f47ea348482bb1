from .readings import Reading as Reading
from .readings import Readings as Readings
from .vectors import Halves as Halves
from .vectors import MentionVectors as MentionVectors
from .vectors import Vectors as Vectors
