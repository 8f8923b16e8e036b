"""Transformers that make columns: kernels, random layers, reservoirs, windows of time."""

from holdfast.maps.kernel_basis import KernelBasis
from holdfast.maps.random_layer import RandomLayer
from holdfast.maps.reservoir import Reservoir
from holdfast.maps.series import series_groups, series_weight
from holdfast.maps.windows import TimeWindows

__all__ = [
    "KernelBasis",
    "RandomLayer",
    "Reservoir",
    "TimeWindows",
    "series_groups",
    "series_weight",
]
