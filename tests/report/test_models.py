"""The models of the slider: those of the path, whole where it counts, with when things entered."""

import pytest

from holdfast.report.models import MOST_ROWS, models_of, removes
from holdfast.report.numbers import rounded
from tests.report import findings_of


def entry(size, columns, sign=1, moved=()):
    line = [float(j + 1) for j in columns]
    return {
        "size": size,
        "error": 1.0 / (1 + size),
        "std_error": 0.1,
        "alpha": 1.0,
        "sign": sign,
        "moved": list(moved),
        "columns": list(columns),
        "coef": [line],
        "intercept": [0.5],
        "effects": [line],
    }


def found(path, chosen=0, n_features=6):
    names = [f"x{j}" for j in range(n_features)]
    return {
        "method": "forward",
        "path": path,
        "chosen": chosen,
        "features": names,
        "feature_columns": names,
    }


@pytest.mark.parametrize(
    "findings", [findings_of.forward, findings_of.backward, findings_of.five_classes]
)
def test_every_entry_of_the_path_is_there(findings):
    findings = findings()
    models = models_of(findings)
    assert sorted(model.position for model in models) == list(range(len(findings["path"])))
    assert [model.size for model in models] == sorted(entry["size"] for entry in findings["path"])
    for model in models:
        visited = findings["path"][model.position]
        assert (model.error, model.std_error) == (visited["error"], visited["std_error"])
        assert model.intercept == [rounded(value) for value in visited["intercept"]]
        told = {row.column: (row.coef, row.effects) for row in model.rows}
        expected = {
            column: (
                [rounded(line[place]) for line in visited["coef"]],
                [rounded(line[place]) for line in visited["effects"]],
            )
            for place, column in enumerate(visited["columns"])
        }
        assert told == expected
        largest = [max(map(abs, row.effects)) for row in model.rows]
        assert largest == sorted(largest, reverse=True)


def test_when_a_feature_entered():
    # 4 enters, leaves and comes back: what counts is the last time.
    path = [
        entry(1, [0], 0),
        entry(2, [0, 4], 1, [4]),
        entry(3, [0, 4, 2], 1, [2]),
        entry(2, [0, 2], -1, [4]),
        entry(3, [0, 2, 5], 1, [5]),
        entry(4, [0, 2, 5, 4], 1, [4]),
    ]
    models = {model.position: model for model in models_of(found(path))}
    whens = {position: {r.column: r.when for r in m.rows} for position, m in models.items()}
    assert whens[2] == {0: None, 4: 2, 2: 3}
    assert whens[5] == {0: None, 2: 3, 5: 3, 4: 4}
    assert [m.position for m in models_of(found(path))] == [0, 1, 3, 2, 4, 5]


def test_how_long_a_feature_stays():
    path = [entry(3, [0, 1, 2], 0), entry(2, [0, 2], -1, [1]), entry(1, [2], -1, [0])]
    assert removes(found(path))
    models = models_of(found(path))
    assert [model.size for model in models] == [1, 2, 3]
    assert {row.column: row.when for row in models[2].rows} == {0: 2, 1: 3, 2: None}


def test_a_path_that_adds_does_not_only_remove():
    assert not removes(found([entry(0, [], 0), entry(1, [3], 1, [3])]))
    assert not removes(found([entry(1, [0], 0), entry(2, [0, 3], 1, [3])]))


def test_large_models_keep_the_largest_effects_and_the_chosen_model_all():
    n_features = MOST_ROWS + 50
    everything = list(range(n_features))
    path = [
        entry(n_features, everything, 0),
        entry(n_features - 1, everything[1:], -1, [0]),
    ]
    models = {m.position: m for m in models_of(found(path, chosen=1, n_features=n_features))}
    assert len(models[1].rows) == n_features - 1
    assert models[1].left_out == 0
    assert [row.column for row in models[0].rows] == everything[: -MOST_ROWS - 1 : -1]
    assert models[0].left_out == 50


def test_without_a_path_the_one_model():
    findings = findings_of.ridge()
    (model,) = models_of(findings)
    assert model.n_features == len(findings["features"])
    assert (model.position, model.alpha) == (None, findings["alphas"]["chosen"])
    assert {row.column: row.effects[0] for row in model.rows} == {
        column: rounded(effect) for column, effect in enumerate(findings["effects"][0])
    }


def test_columns_of_zeros_are_left_out():
    path = [entry(0, [], 0), entry(3, [0, 1, 2], 1, [0, 1, 2])]
    path[1]["coef"] = path[1]["effects"] = [[1.0, 0.0, -3.0]]
    model = models_of(found(path, chosen=1))[1]
    assert [row.column for row in model.rows] == [2, 0]
    assert (model.size, model.n_features, model.left_out) == (3, 2, 0)


def test_a_kernel_model_has_none():
    assert models_of(findings_of.kernel()) == []
