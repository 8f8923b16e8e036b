"""Which visited model a path settles on, and when a search may end.

Pahikkala, Airola, Salakoski (2010) fix the number of features in advance (Algorithm 1, line 2). The
rules here are the two usual ones (Hastie, Tibshirani, Friedman, "The Elements of Statistical
Learning", section 7.10): the smallest error, or the smallest model within one standard error of it.
"""

TIE = 1e-10


def chosen_entry(sizes, errors, standard_errors, rule, max_features=None):
    """Number of the chosen entry of a path.

    "best": least error, ties (1e-10, relative) to the smaller model. "1se": the smallest model
    whose error is at most the least one plus that one's standard error. Models larger than
    ``max_features`` do not count. Among models of one size the better one; on ties the first.
    """
    allowed = [t for t, size in enumerate(sizes) if max_features is None or size <= max_features]
    least = min(errors[t] for t in allowed)
    best = first_best_of_smallest(sizes, errors, allowed, least * (1 + TIE))
    if rule == "best":
        return best
    return first_best_of_smallest(sizes, errors, allowed, errors[best] + standard_errors[best])


def first_best_of_smallest(sizes, errors, allowed, bound):
    """Of the entries within a bound: the smallest size, there the least error, there the first."""
    within = [t for t in allowed if errors[t] <= bound]
    smallest = [t for t in within if sizes[t] == min(sizes[s] for s in within)]
    least = min(errors[t] for t in smallest)
    return next(t for t in smallest if errors[t] <= least * (1 + TIE))


def length_with_patience(sizes, errors, standard_errors, rule, patience, max_features=None):
    """How many moves a search makes that ends after ``patience`` moves without a new candidate.

    A move brings a new candidate if, of what has been visited so far, the rule settles on another
    model than before, or the best model is another one (which moves the bound of "1se"). Moves
    among models larger than ``max_features`` are not counted.
    """
    candidates, without = None, 0
    for t in range(len(sizes)):
        if max_features is not None and min(sizes[: t + 1]) > max_features:
            continue
        seen = [part[: t + 1] for part in (sizes, errors, standard_errors)]
        before = candidates
        candidates = [chosen_entry(*seen, which, max_features) for which in (rule, "best")]
        without = without + 1 if candidates == before else 0
        if without == patience:
            return t
    return len(sizes) - 1
