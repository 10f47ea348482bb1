"""Tasks for which a pretrained encoder is fine-tuned, other than coreference (paper, sections 3.3 and 3.4).

Document matching, and multi-hop question answering. Both start from any encoder of this project, are trained with
:mod:`cdlm.runs`, and are saved as a folder.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
