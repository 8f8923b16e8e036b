"""Views of the rows: how much every row counts in training and in the error.

Leave-one-out with fixed weights needs one view. With ``class_weight="balanced"`` the class
weights change when a row leaves: one view per class ``c`` trains as if one row of ``c`` were
gone and is read on the rows of ``c`` only; the error keeps the class weights of all rows.
A last view, trained on all rows and read on none, carries the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.rows.sums import Array, Block


@dataclass(frozen=True)
class Weighting:
    """Factors on the sample weights, by view and class.

    Attributes
    ----------
    train : array of shape (views, classes)
        Factor of a row's weight in training. The last view is the model on all rows.
    loss : array of shape (views, classes)
        Factor of a row's weight in the error; zero where the view is not read.
    """

    train: Array
    loss: Array

    @property
    def uniform(self) -> bool:
        """Whether every row counts in the error as it counts in training."""
        return bool(np.array_equal(self.train, self.loss))

    def of_rows(self, block: Block) -> tuple[Array, Array]:
        """Training and error weights of a block's rows, (views, rows) each."""
        classes = class_codes(block.targets, self.train.shape[1])
        return self.train[:, classes] * block.weights, self.loss[:, classes] * block.weights


def class_codes(targets: Array, n_classes: int) -> Array:
    """Class of every row from its -1 / +1 coded targets; all zero for regression."""
    if n_classes == 1:
        return np.zeros(targets.shape[1], dtype=np.intp)
    if n_classes == 2:
        return (targets[0] > 0).astype(np.intp)
    return targets.argmax(axis=0)


PLAIN = Weighting(np.ones((1, 1)), np.ones((1, 1)))
"""Rows count by their sample weight, in training and in the error."""


def fixed_classes(factors: Array) -> Weighting:
    """Class weights that do not depend on the training set."""
    return Weighting(factors[None, :], factors[None, :])


def balanced(counts: Array) -> Weighting:
    """Class weights ``rows / (classes * rows of the class)``, recomputed without each row.

    Parameters
    ----------
    counts : int array of shape (classes,)
        Rows of positive weight in every class; a class that loses its only row no longer
        counts among the classes.
    """
    full = _inverse_frequency(counts)
    train, loss = [], []
    for left in np.flatnonzero(counts):
        own = np.arange(len(counts)) == left
        weights = _inverse_frequency(counts - own)
        # A row's own weight drops out of its leave-one-out prediction: any positive one does.
        weights[left] = weights[left] or full[left]
        train.append(weights)
        loss.append(full * own)
    return Weighting(np.array([*train, full]), np.array([*loss, np.zeros_like(full)]))


@dataclass(frozen=True)
class ClassWeights:
    """Factors of the classes on the weights of their rows.

    Attributes
    ----------
    counts : int array of shape (classes,)
        Rows of positive weight in every class; one class for regression.
    factors : array of shape (classes,), or None
        Fixed factors; None for balanced ones, recomputed in every training set.
    """

    counts: Array
    factors: Array | None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def views(self) -> Weighting:
        """For leave-one-out: views of the rows."""
        if self.factors is None:
            return balanced(self.counts)
        return fixed_classes(self.factors)

    def of_parts(self, train: Array, held: Array, counts: Array) -> tuple[Array, Array]:
        """For splits: factors (K, parts * classes) from the parts that each takes.

        Parameters
        ----------
        train, held : bool array of shape (K, parts)
            What every split trains on, and holds out.
        counts : int array of shape (parts * classes,)
            Rows of positive weight, by part and class.
        """
        of_class = counts.reshape(-1, len(self))
        if self.factors is None:
            in_training = [_inverse_frequency(of_class[parts].sum(axis=0)) for parts in train]
            in_error = _inverse_frequency(self.counts)
        else:
            in_training, in_error = [self.factors] * len(train), self.factors
        weighted = train[:, :, None] * np.array(in_training)[:, None]
        judged = held[:, :, None] * in_error
        return weighted.reshape(len(train), -1), judged.reshape(len(train), -1)


def plain_classes(counts: Array) -> ClassWeights:
    """Rows of all classes count alike."""
    return ClassWeights(counts, np.ones(len(counts)))


def _inverse_frequency(counts: Array) -> Array:
    present = counts > 0
    weights = np.zeros(len(counts))
    weights[present] = counts.sum() / (present.sum() * counts[present])
    return weights
