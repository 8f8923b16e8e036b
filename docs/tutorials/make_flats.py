"""Write ``flats.csv``, the made-up table of the tutorial for analysts.

A hundred and sixty flats and their rents. Area, district and the state of the kitchen matter, floor
and year of building a little, the rest not at all.
"""

import csv
from pathlib import Path

import numpy as np

DISTRICTS = {"Centre": 240, "Harbour": 120, "Mill Hill": 0, "Northside": -90, "Old Town": 180}
KITCHENS = {"basic": 0, "fitted": 70, "new": 140}


def flats(count, seed):
    """Lines of the table, the header first."""
    rng = np.random.default_rng(seed)
    yield [
        *["id", "area", "rooms", "floor", "year built", "district", "kitchen", "walk to station"],
        *["street number", "cats nearby", "rent"],
    ]
    for number in range(count):
        area = round(float(rng.gamma(9, 8)) + 15)
        rooms = max(1, round(area / 25 + rng.normal(0, 0.6)))
        floor, year = int(rng.integers(0, 8)), int(rng.integers(1890, 2024))
        district = str(rng.choice(list(DISTRICTS), p=[0.2, 0.25, 0.3, 0.15, 0.1]))
        kitchen = str(rng.choice(list(KITCHENS)))
        walk = round(float(rng.gamma(2, 4)), 1)
        rent = 11.5 * area + DISTRICTS[district] + KITCHENS[kitchen] + 9 * floor
        rent += 0.8 * (year - 1950) + rng.normal(0, 75)
        year_told = "" if rng.random() < 0.05 else year
        told = [f"F{number + 1:04}", area, rooms, floor, year_told, district, kitchen, walk]
        yield [*told, int(rng.integers(1, 200)), int(rng.poisson(2)), round(rent)]


def write(path, rows):
    """Write lines as CSV."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    HERE = Path(__file__).parent
    write(HERE / "flats.csv", flats(160, seed=1))
    write(HERE / "new-flats.csv", [row[:-1] for row in flats(20, seed=2)])
