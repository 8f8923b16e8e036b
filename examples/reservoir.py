"""
A reservoir that goes on by itself
==================================

A random recurrent network turns a series into columns; a ridge model reads the next value off its
states. Fed with its own forecasts, it runs freely. The penalty is chosen by folds of consecutive
steps.
"""

import matplotlib.pyplot as plt
import numpy as np

from holdfast import AlphaDisplay, series_weight
from holdfast.recipes import echo_state_forecaster, run_freely


def delayed_feedback(steps, delay=17):
    """Values of an equation of Mackey and Glass, ten small steps between two of them."""
    x = np.full(10 * (steps + delay), 1.2)
    for t in range(10 * delay, len(x) - 1):
        past = x[t - 10 * delay]
        x[t + 1] = x[t] + 0.1 * (0.2 * past / (1 + past**10) - 0.1 * x[t])
    return x[10 * delay :: 10, None] - 1


values = delayed_feedback(3400)
history, future = values[:3000], values[3000:]

# %%
# The network is drawn, not trained; only the read-out is.

model = echo_state_forecaster(
    alphas=np.logspace(-7, 0, 15),
    n_units=300,
    spectral_radius=1.1,
    input_scaling=1.0,
    leak=0.8,
    bias=0.2,
    washout=200,
    random_state=0,
)
weight = series_weight([len(history) - 1], 200)  # the first steps depend on where the network began
model.fit([history[:-1]], history[1:], readout__sample_weight=weight)
readout = model["readout"]
print(f"penalty {readout.alpha_:.3g}, one step ahead: error {-readout.best_score_:.2e}")

# %%
# There is no noise in the series, so the least penalty is the best. Four hundred steps ahead, from
# the end of the history:

ahead = run_freely(model, history, len(future))
miss = np.abs(ahead - future)[:, 0]
close = int(np.argmax(miss > 0.1)) if (miss > 0.1).any() else len(miss)
print(f"within 0.1 of the truth for {close} steps")

figure, (curve, series) = plt.subplots(
    ncols=2, figsize=(12, 3.8), width_ratios=[1, 2], layout="constrained"
)
AlphaDisplay.from_estimator(readout, ax=curve)
curve.set_yscale("log")
series.plot(np.arange(-100, 0), history[-100:], color="grey", label="history")
series.plot(future, "k:", label="truth")
series.plot(ahead, label="forecasts fed back")
series.set(xlabel="step")
series.legend(frameon=False, loc="lower left")
plt.show()
