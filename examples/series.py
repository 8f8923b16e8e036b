"""
Which past inputs does a signal remember?
=========================================

Four series of a pump and a valve, and a level that follows them with a delay. Windows of the last
twelve steps make columns; whole series are held out.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import LeaveOneGroupOut

from holdfast import ForwardRidge, TimeWindows, series_groups, series_weight

rng = np.random.default_rng(0)
lengths = [400, 300, 350, 250]
flow = rng.standard_normal((sum(lengths), 2))
level = np.concatenate(
    [
        0.8 * np.roll(part[:, 0], 3) - 0.5 * np.roll(part[:, 1], 7)
        for part in np.split(flow, np.cumsum(lengths)[:-1])
    ]
)
level += 0.3 * rng.standard_normal(len(level))

# %%
# No row is dropped: rows without a full history get no weight instead, so that everything stays
# aligned.

windows = TimeWindows(lags=12)
columns = windows.fit_transform(flow, lengths=lengths)
search = ForwardRidge(alphas=[0.1, 1.0, 10.0], cv=LeaveOneGroupOut(), n_features_to_select="1se")
search.fit(
    columns,
    level,
    sample_weight=series_weight(lengths, 11),  # rows without a full history do not count
    groups=series_groups(lengths),
)
names = windows.get_feature_names_out(["pump", "valve"])
print("remembered:", ", ".join(names[search.support_]))
print(f"error on series not trained on: {-search.best_score_:.3f} (noise: 0.090)")

# %%
# The coefficients, by how far back they look.

lags = [int(name.rsplit("_", 1)[-1].removeprefix("lag")) if "lag" in name else 0 for name in names]
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for who, shift in [("pump", -0.2), ("valve", 0.2)]:
    ours = [place for place, name in enumerate(names) if name.startswith(who)]
    ax.bar([lags[place] + shift for place in ours], search.coef_[ours], 0.4, label=who)
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="steps back", ylabel="coefficient")
ax.legend(frameon=False)
plt.show()
