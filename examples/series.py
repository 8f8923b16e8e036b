"""Which past inputs does a signal remember? Windows of several series, whole series held out."""

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
