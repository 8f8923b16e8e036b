"""The order of the examples in the gallery: from the first question to the special ones."""

EXAMPLES = [
    "which_columns.py",
    "luck.py",
    "penalty_curve.py",
    "in_a_pipeline.py",
    "forward_and_backward.py",
    "folds_and_groups.py",
    "many_sparse_columns.py",
    "sparse_text.py",
    "kernels.py",
    "evidence.py",
    "series.py",
    "reservoir.py",
]


class GalleryOrder:
    """Sort key of Sphinx-Gallery; made with a folder, called with names of its files."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name):
        """Place of the example of that name; new ones come last."""
        return EXAMPLES.index(name) if name in EXAMPLES else len(EXAMPLES)
