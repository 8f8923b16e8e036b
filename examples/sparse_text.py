"""
A classifier of few words
=========================

Documents as counts of words: most words are rare, and only some tell the topic. The topic has
twelve sides, and words that belong to one side appear together. Generalised LARS with the squared
hinge lets words in one after the other; leave-one-out along its path says how many. (The documents
are drawn, with frequencies that fall as those of a language do.)
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from holdfast import LarsSVC, information_gain

WORDS, DOCUMENTS, SIDES, TELLING = 5000, 1500, 12, 8

rng = np.random.default_rng(0)
usual = 1 / np.arange(3, WORDS + 3)
telling = rng.choice(np.arange(50, 1500), (SIDES, TELLING), replace=False)
frequencies = np.tile(usual, (SIDES + 1, 1))  # the last line: documents on something else
for side, words in enumerate(telling):
    frequencies[side, words] *= 60
topic = rng.random(DOCUMENTS) < 0.3
side_of = np.where(topic, rng.choice(SIDES, DOCUMENTS, p=usual[:SIDES] / usual[:SIDES].sum()), -1)
counts = np.stack(
    [
        rng.multinomial(length, frequencies[side] / frequencies[side].sum())
        for length, side in zip(rng.integers(60, 200, DOCUMENTS), side_of, strict=True)
    ]
)
counts = sparse.csr_array(counts.astype(float))
X, X_new, y, y_new = train_test_split(counts, topic, test_size=0.5, random_state=0, stratify=topic)
tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
X, X_new = tfidf.transform(X), tfidf.transform(X_new)

# %%
# One path, for every size the decision threshold that is best for the F-measure on the outputs of
# leave-one-out.

search = LarsSVC(alpha=1.0, threshold="f1", max_features=200, patience=None).fit(X, y)
score = f1_score(y_new, search.predict(X_new))
print(f"{search.n_features_} words chosen; F on new documents {score:.3f}")
print(
    f"{np.isin(search.selection_order_[:40], telling).sum()} of the first 40 words tell the topic"
)

# %%
# Beside it: words ranked one by one by information gain, with a linear support vector machine on
# them, and on all words.

wanted = (2, 5, 10, 15, 20, 30, 40, 50, 64, 102, 149, 200)
sizes = [size for size in search.path_sizes_.tolist() if size in wanted]
lars, ranked = [], []
for size in sizes:
    lars.append(f1_score(y_new, search.truncate(size).predict(X_new)))
    best = SelectKBest(information_gain, k=size).fit(X, y)
    machine = LinearSVC(class_weight="balanced").fit(best.transform(X), y)
    ranked.append(f1_score(y_new, machine.predict(best.transform(X_new))))
everything = f1_score(y_new, LinearSVC(class_weight="balanced").fit(X, y).predict(X_new))

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.semilogx(sizes, lars, "o-", label="LarsSVC")
ax.semilogx(sizes, ranked, "s--", label="information gain, then LinearSVC")
ax.axhline(everything, color="black", linewidth=1, linestyle=":", label="LinearSVC, all words")
ax.axvline(search.n_features_, color="grey", linewidth=1)
ax.set(xlabel="words", ylabel="F-measure on new documents")
ax.legend(frameon=False)
plt.show()
