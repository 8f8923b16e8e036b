"""The path of a selection: error against size, and coefficients along it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from holdfast.display.axes import error_label, new_axes
from holdfast.rows.sums import Array


class PathDisplay:
    """Error of every visited model against its size, or the coefficients along the path.

    Use :meth:`from_estimator`. The error of a selected path is optimistic - the same rows
    chose the features - and the picture says so: :func:`holdfast.nested_score` is honest.

    Parameters
    ----------
    sizes, errors, std_errors : arrays of shape (entries,)
        Size, error and standard error of every visited model.
    coefs : array of shape (entries, features)
        Coefficients of the features that the path ever selects.
    labels : list of str
        Names of these features.
    chosen : int
        Position of the chosen model.
    kind : {"error", "coefficients"}
        What is drawn.
    error_label : str
        What is measured, and how rows were held out.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib artist or list of them
    """

    def __init__(
        self,
        *,
        sizes: Array,
        errors: Array,
        std_errors: Array,
        coefs: Array,
        labels: list[str],
        chosen: int,
        kind: str = "error",
        error_label: str = "exact error",
    ) -> None:
        self.error_label = error_label
        self.sizes = sizes
        self.errors = errors
        self.std_errors = std_errors
        self.coefs = coefs
        self.labels = labels
        self.chosen = chosen
        self.kind = kind

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        kind: str = "error",
        target: int = 0,
        ax: Any = None,
        **line_kw: Any,
    ) -> Self:
        """Draw the path of a fitted selector.

        Parameters
        ----------
        estimator : fitted ForwardRidge, BackwardRidge or classifier
            Whose path is drawn.
        kind : {"error", "coefficients"}, default="error"
            Error with standard errors, the chosen size marked; or coefficients.
        target : int, default=0
            Of several targets or classes the one whose coefficients are drawn.
        ax : matplotlib Axes, optional
            Where to draw.
        **line_kw
            Passed to matplotlib's ``plot``.

        Returns
        -------
        PathDisplay
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "_path"):
            raise TypeError(
                f"{type(estimator).__name__} has no path; expected a selector such as ForwardRidge "
                "or BackwardRidge: of a pipeline or a grid search pass the selector inside."
            )
        if kind not in ("error", "coefficients"):
            raise ValueError(
                f"kind={kind!r} is not known; expected 'error' or 'coefficients': choose one."
            )
        path = estimator._path
        n_targets = len(path[0].solution.coef)
        if not 0 <= target < n_targets:
            raise ValueError(
                f"target={target} is out of range; expected 0 to {n_targets - 1}: choose one of "
                "the targets or classes of the estimator."
            )
        columns = np.unique(np.concatenate([entry.solution.columns for entry in path]))
        coefs = np.zeros((len(path), len(columns)))
        for line, entry in zip(coefs, path, strict=True):
            where = np.searchsorted(columns, entry.solution.columns)
            line[where] = entry.solution.coef[target]
        names = getattr(estimator, "feature_names_in_", None)
        labels = [str(names[j]) if names is not None else f"x{j}" for j in columns]
        display = cls(
            sizes=estimator.path_sizes_,
            errors=estimator.path_errors_,
            std_errors=estimator.path_std_errors_,
            coefs=coefs,
            labels=labels,
            chosen=estimator._chosen,
            kind=kind,
            error_label=error_label(estimator),
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
        self.ax_, self.figure_ = ax, ax.figure
        if self.kind == "error":
            self._plot_errors(line_kw)
        else:
            self._plot_coefficients(line_kw)
        ax.set_xlabel("number of features")
        ax.xaxis.get_major_locator().set_params(integer=True)
        return self

    def _plot_errors(self, line_kw: dict[str, Any]) -> None:
        ax = self.ax_
        style = {"marker": "o", "markersize": 3.5, "linewidth": 1.5} | line_kw
        (self.line_,) = ax.plot(self.sizes, self.errors, **style)
        colour = self.line_.get_color()
        # A floating search visits a size more than once: of each the best model has the band.
        order = np.lexsort((self.errors, self.sizes))
        sizes, first = np.unique(self.sizes[order], return_index=True)
        best = order[first]
        low, high = (self.errors[best] + sign * self.std_errors[best] for sign in (-1, 1))
        ax.fill_between(sizes, low, high, color=colour, alpha=0.15, linewidth=0)
        band = "one standard error"
        if len(sizes) < len(self.sizes):
            band += " of the best of each size"
        size, error = self.sizes[self.chosen], self.errors[self.chosen]
        ax.axvline(size, color="0.6", linewidth=0.8, linestyle=":")
        label = f"chosen: {size} feature{'s' if size != 1 else ''}, error {error:.4g}"
        ax.plot([size], [error], "o", color="C3", markersize=8, fillstyle="none", label=label)
        ax.set_ylabel(self.error_label)
        ax.set_title(
            f"band: {band}. A selected path is optimistic: see nested_score",
            fontsize="small",
            color="0.4",
        )
        ax.legend(frameon=False)

    def _plot_coefficients(self, line_kw: dict[str, Any], n_named: int = 12) -> None:
        ax = self.ax_
        last = np.abs(self.coefs[self.chosen])
        named = [position for position in np.argsort(-last)[:n_named] if last[position] > 0]
        self.line_ = []
        for position, (label, coefs) in enumerate(zip(self.labels, self.coefs.T, strict=True)):
            # Features that the legend does not name stay in the background.
            style: dict[str, Any] = {"linewidth": 0.8, "color": "0.8", "zorder": 1}
            if position in named:
                colour = f"C{named.index(position) % 10}"
                style = {"linewidth": 1.5, "label": label, "color": colour}
            self.line_ += ax.plot(self.sizes, coefs, **(style | line_kw))
        size = self.sizes[self.chosen]
        ax.axvline(size, color="0.6", linewidth=0.8, linestyle=":")
        ax.axhline(0, color="0.8", linewidth=0.8)
        ax.set_ylabel("coefficient")
        ax.set_title(f"dotted: the chosen size, {size}", fontsize="small", color="0.4")
        if last.any():
            ax.legend(
                frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1),
                title="largest at the chosen size",
            )  # fmt: skip
