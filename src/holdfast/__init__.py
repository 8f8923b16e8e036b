"""holdfast: sparse least-squares models chosen by exact cross-validation.

A *search* proposes, a *criterion* scores without refitting, *rows* supply the sums.

What there is, and where it lives, is written in ``__init__.pyi``. A name is imported when it is
first asked for, so that ``holdfast --help`` answers without loading NumPy.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
