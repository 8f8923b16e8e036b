"""A table with all that a table may have, and what its columns were made from."""

import numpy as np
import polars as pl

CITIES = ("Oslo", "Rome", "Paris")


def homes(n_rows=120, seed=0):
    """Prices by area, rooms and city; one agent per row group; two cities of rare names."""
    rng = np.random.default_rng(seed)
    area = rng.normal(100, 20, n_rows)
    rooms = rng.integers(1, 6, n_rows)
    city = rng.choice(CITIES, n_rows)
    price = 3 * area + 20 * rooms + 60 * (city == "Rome") + rng.normal(0, 20, n_rows)
    city[:2] = ["Lima", "Bonn"]
    return pl.DataFrame(
        {
            "area": area,
            "rooms": rooms,
            "city": city,
            "noise": rng.normal(size=n_rows),
            "agent": [f"agent {i % 7}" for i in range(n_rows)],
            "listed": pl.Series(np.arange(n_rows)[::-1]).cast(pl.Date),
            "weight": rng.random(n_rows) + 0.5,
            "price": price,
            "dear": np.where(price > np.median(price), "yes", "no"),
        }
    )


def write(frame, folder, name="homes.csv"):
    """The table as a file."""
    path = folder / name
    frame.write_csv(path)
    return path
