"""The choice of a penalty: error against alpha."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from holdfast.display.axes import error_label, new_axes
from holdfast.rows.sums import Array


class AlphaDisplay:
    """Exact hold-out error against the penalty, the chosen one marked.

    Use :meth:`from_estimator`. Of a selector the errors are those of its chosen features, which
    the same rows have chosen: optimistic, and the picture says so.

    Parameters
    ----------
    alphas : array of shape (alphas,)
        The grid.
    errors : array of shape (alphas,) or (alphas, targets)
        Error, or minus the score, of every penalty; a column for every target that has a
        penalty of its own.
    chosen : array of shape (1,) or (targets,)
        The chosen penalties.
    error_label : str
        What is measured, and how rows were held out.
    selected : bool
        Whether features were selected by the same errors.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib artists
    """

    def __init__(
        self, *, alphas: Array, errors: Array, chosen: Array, error_label: str, selected: bool
    ) -> None:
        self.alphas = alphas
        self.errors = errors
        self.chosen = chosen
        self.error_label = error_label
        self.selected = selected

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **line_kw: Any) -> Self:
        """Draw the choice of a fitted estimator.

        Parameters
        ----------
        estimator : fitted RidgeCV, ForwardRidge, BackwardRidge or classifier
            Whose penalties are drawn.
        ax : matplotlib Axes, optional
            Where to draw.
        **line_kw
            Passed to matplotlib's ``plot``.

        Returns
        -------
        AlphaDisplay
        """
        check_is_fitted(estimator)
        scoring = getattr(estimator, "scoring", None)
        what = "error"
        if scoring is not None:
            what = f"minus {scoring if isinstance(scoring, str) else 'score'}"
        display = cls(
            alphas=estimator.alphas_,
            errors=estimator.alpha_errors_,
            chosen=np.atleast_1d(estimator.alpha_),
            error_label=error_label(estimator, what),
            selected=hasattr(estimator, "selection_order_"),
        )
        return display.plot(ax=ax, **line_kw)

    def plot(self, *, ax: Any = None, **line_kw: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure without it.
        **line_kw
            Passed to matplotlib's ``plot``.

        Returns
        -------
        self
        """
        if ax is None:
            ax = new_axes()
        self.ax_, self.figure_, self.lines_ = ax, ax.figure, []
        order = np.argsort(self.alphas)
        columns = self.errors.reshape(len(self.alphas), -1).T
        style = {"marker": "o", "markersize": 3.5, "linewidth": 1.5} | line_kw
        for number, (errors, alpha) in enumerate(zip(columns, self.chosen, strict=True)):
            named = {"label": f"target {number}"} if len(columns) > 1 else {}
            (line,) = ax.plot(self.alphas[order], errors[order], **(named | style))
            error = errors[self.alphas == alpha][0]
            label = f"chosen: {alpha:.4g}, error {error:.4g}" if len(columns) == 1 else None
            ax.plot([alpha], [error], "o", color="C3", markersize=8, fillstyle="none", label=label)
            self.lines_.append(line)
        # A penalty of zero is allowed under folds; a logarithmic axis has no place for it.
        positive = self.alphas[self.alphas > 0]
        if len(positive) == len(self.alphas):
            ax.set_xscale("log")
        elif len(positive):
            ax.set_xscale("symlog", linthresh=float(positive.min()))
        ax.set_xlabel("alpha")
        ax.set_ylabel(self.error_label)
        if self.selected:
            ax.set_title(
                "of the chosen features: optimistic, see nested_score",
                fontsize="small",
                color="0.4",
            )
        ax.legend(frameon=False)
        return self
