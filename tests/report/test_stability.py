"""Shares of the folds that chose each column."""

from holdfast.report.stability import shares
from holdfast.report.terms import Noun

COLUMNS, FEATURES = Noun("column", "columns"), Noun("feature", "features")


def made():
    return {
        "features": ["size", "fuel=gas", "fuel=diesel", "age", "rpm"],
        "feature_columns": ["size", "fuel", "fuel", "age", "rpm"],
        "path": [{"columns": []}, {"columns": [1, 2, 4]}],
        "chosen": 1,
        "nested": {"supports": [[0, 1, 2], [1, 2], [1, 2, 3], [0]]},
    }


def test_columns_of_the_table_count_once():
    assert [(s.name, s.share, s.chosen) for s in shares(made(), COLUMNS)] == [
        ("fuel", 0.75, True),
        ("size", 0.5, False),
        ("age", 0.25, False),
        ("rpm", 0.0, True),  # chosen by the model alone: that is worth seeing
    ]


def test_features_count_each():
    assert [(s.name, s.share) for s in shares(made(), FEATURES)] == [
        ("fuel=diesel", 0.75),
        ("fuel=gas", 0.75),
        ("size", 0.5),
        ("age", 0.25),
        ("rpm", 0.0),
    ]
