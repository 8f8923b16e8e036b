"""Clustered data like the parses of section 6.4: several candidates of every sentence.

A candidate is a sparse vector of counts: features that all sentences share, features of the
sentence that all its candidates share, and some of its own; how many makes the kernel values what
the paper reports of its parses: cosines of about 0.45 within a sentence, 0.15 between two. Its
score is a linear function of the shared features, an effect of the sentence that features do not
explain, and noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

COMMON, PER_SENTENCE, OWN, VOCABULARY = 60, 90, 150, 30000
RATE = 4.0


@dataclass(frozen=True)
class Parses:
    """Candidates, their scores, and the sentence of every candidate."""

    X: sp.csr_array
    y: np.ndarray
    sentence: np.ndarray


def sample(n_sentences: int, candidates: int, seed: int) -> Parses:
    """Draw sentences with about so many candidates each."""
    random = np.random.default_rng(seed)
    weights = np.random.default_rng(12345).standard_normal(COMMON)  # the task, the same for all
    lines, scores, owners = [], [], []
    for sentence in range(n_sentences):
        count = max(1, random.poisson(candidates - 1) + 1)
        rate = RATE * random.gamma(4.0, 0.25, COMMON)
        words = random.choice(VOCABULARY, PER_SENTENCE, replace=False)
        shared = random.poisson(RATE, PER_SENTENCE)
        effect = 0.8 * random.standard_normal()
        for _ in range(count):
            common = random.poisson(rate)
            line = np.zeros(COMMON + VOCABULARY)
            line[:COMMON] = common
            line[COMMON + words] = shared
            own = COMMON + random.choice(VOCABULARY, OWN, replace=False)
            line[own] += random.poisson(RATE, OWN)
            lines.append(sp.csr_array(line[None]))
            signal = weights @ common / (RATE * np.sqrt(COMMON)) * 2
            scores.append(signal + effect + 0.3 * random.standard_normal())
            owners.append(sentence)
    X = sp.csr_array(sp.vstack(lines))
    return Parses(X, np.array(scores), np.array(owners))
