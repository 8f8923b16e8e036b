"""The seizure tasks, built from the EEG records of Bonn (Andrzejak et al., 2001).

The paper's rats are not public. The 500 records there (23.6 s at 173.61 Hz, five sets of 100, set E
during seizures) are each of one class. They are joined: 33 series of 15 records, 3 of seizures and
12 of the other sets in random order, at random places of the stratified lists; 23 series to train
on, 10 to test. Row labels are those of their records.

A *wavelet feature* is the log magnitude of a record filtered with a complex Morlet wavelet of one
centre frequency (six cycles), averaged over blocks of samples. Reservoir: one feature (20 Hz),
blocks of 4 samples: 15 360 rows a series. Windows: four features (3, 6, 12 and 24 Hz), blocks of
20: 3060 rows a series. Features are standardised by the training rows.
"""

from __future__ import annotations

import numpy as np
from benchmarks.problems import data_folder
from scipy.signal import fftconvolve
from task import Task, balanced_error_rate

from holdfast import Reservoir, TimeWindows, series_groups

N_SERIES, N_TRAINING, PER_SERIES, SEIZURES = 33, 23, 15, 3
CYCLES = 6.0


def reservoir_task(quick: bool) -> Task:
    """Table 1: 200 leaky units on one wavelet feature, 23 folds, 60 penalties."""
    feature, labels, lengths = joined([20.0], 4, quick)
    reservoir = Reservoir(
        n_units=20 if quick else 200,
        spectral_radius=0.9,
        density=0.1,
        input_scaling=0.5,
        leak=0.1,
        bias=0.5,
        random_state=0,
    )
    states = reservoir.fit_transform(feature, lengths=lengths)
    return _task("reservoir", states, labels, lengths, 60)


def windows_task(quick: bool) -> Task:
    """Table 2: four wavelet features times 50 lags, 23 folds, 60 penalties."""
    features, labels, lengths = joined([3.0, 6.0, 12.0, 24.0], 20, quick)
    windows = TimeWindows(lags=5 if quick else 50).fit_transform(features, lengths=lengths)
    return _task("windows", windows, labels, lengths, 60)


def joined(
    frequencies: list[float], block: int, quick: bool
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Features of all series one after the other, labels -1 / +1, lengths."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            "the EEG records were not found, expected HOLDFAST_DATA or ../shared/data; set "
            "HOLDFAST_DATA, or leave this part out with --only"
        )
    with np.load(folder / "bonn_eeg.npz") as stored:
        records, sets = stored["X"].astype(float), stored["y"]
        rate = float(stored["fs_hz"])
    random = np.random.default_rng(0)
    seizures = random.permutation(np.flatnonzero(sets == 4))
    others = random.permutation(np.flatnonzero(sets != 4))
    order = []
    for number in range(N_SERIES):
        mine = slice(number * SEIZURES, (number + 1) * SEIZURES)
        rest = slice(number * (PER_SERIES - SEIZURES), (number + 1) * (PER_SERIES - SEIZURES))
        order.append(random.permutation(np.concatenate([seizures[mine], others[rest]])))
    if quick:
        block *= 8
    chosen = np.concatenate(order)
    rows = records.shape[1] // block
    features = np.concatenate([_features(records[r], rate, frequencies, block) for r in chosen])
    labels = np.repeat(np.where(sets[chosen] == 4, 1, -1), rows)
    lengths = [PER_SERIES * rows] * N_SERIES
    training = slice(0, N_TRAINING * PER_SERIES * rows)
    centre, spread = features[training].mean(axis=0), features[training].std(axis=0)
    return (features - centre) / spread, labels, lengths


def _features(record: np.ndarray, rate: float, frequencies: list[float], block: int) -> np.ndarray:
    """Log magnitudes, (rows, frequencies)."""
    columns = []
    for frequency in frequencies:
        width = CYCLES / (2 * np.pi * frequency)
        times = np.arange(-4 * width, 4 * width, 1 / rate)
        wavelet = np.exp(2j * np.pi * frequency * times - times**2 / (2 * width**2))
        wavelet /= np.abs(wavelet).sum()
        magnitude = np.abs(fftconvolve(record, wavelet, mode="same"))
        rows = len(record) // block
        columns.append(np.log1p(magnitude[: rows * block].reshape(rows, block).mean(axis=1)))
    return np.column_stack(columns)


def _task(
    name: str, columns: np.ndarray, labels: np.ndarray, lengths: list[int], n_alphas: int
) -> Task:
    training = sum(lengths[:N_TRAINING])
    series = series_groups(lengths)[training:]
    return Task(
        name,
        np.ascontiguousarray(columns[:training]),
        labels[:training].astype(float),
        N_TRAINING,
        n_alphas,
        columns[training:],
        balanced_error_rate(labels[training:], series),
        labels[:training],
    )
