"""Findings that no small fit would give: hostile names, large paths, missing parts."""

import copy
import json

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "a \"quoted\" & 'single' name",
    "dots.and[brackets]",
    "line\u2028separator",
    "größe 长度 🚗",
    "{{ 7 * 7 }}",
    "<!-- comment",
    "__proto__",
    "datum.price + 1",
    "long" * 40,
]


def with_names(findings, names):
    """The findings with other names for the first columns, everywhere."""
    other = copy.deepcopy(findings)
    old = other["feature_columns"]
    other["features"] = [*names, *other["features"][len(names) :]]
    other["feature_columns"] = list(other["features"])
    for column, name in zip(other["data"]["columns"], other["features"], strict=True):
        column["name"] = name
    assert len(old) == len(other["features"])
    return other


def without_nested(findings, reason):
    """The findings of a fit that did not ask for a nested estimate."""
    return findings | {"nested": None, "nested_reason": reason, "held_out": None}


def with_groups():
    """Two columns of the table, one of them a category of three levels that enters whole."""
    path = [
        {"size": 0, "columns": [], "sign": 0, "moved": [], "error": 4.0},
        {"size": 1, "columns": [1, 2, 3], "sign": 1, "moved": [1, 2, 3], "error": 2.0},
        {"size": 2, "columns": [1, 2, 3, 0], "sign": 1, "moved": [0], "error": 1.0},
    ]
    for entry in path:
        line = [0.5 - j for j in entry["columns"]]
        entry |= {"std_error": 0.1, "alpha": 1.0, "coef": [line], "effects": [line]}
        entry["intercept"] = [0.1]
    return path


def large(findings, n_features=1000, n_entries=300):
    """A forward path of so many models out of so many features."""
    names = [f"a feature with a name of usual length {j}" for j in range(n_features)]
    path = []
    for size in range(n_entries):
        columns = [(7 * j) % n_features for j in range(size)]
        values = [(-1) ** j * (1.2345678 + j / 7) / (1 + j) for j in range(size)]
        path.append(
            {
                "size": size,
                "error": 1 / (1 + size) + size / 1e4,
                "std_error": 0.01,
                "alpha": 1.0,
                "sign": 1 if size else 0,
                "moved": columns[-1:],
                "columns": columns,
                "coef": [values],
                "effects": [[value * 2 for value in values]],
                "intercept": [0.5],
            }
        )
    chosen = path[min(40, n_entries - 1)]
    full = [0.0] * n_features
    for column, value in zip(chosen["columns"], chosen["effects"][0], strict=True):
        full[column] = value
    data = findings["data"] | {
        "columns": [findings["data"]["columns"][0] | {"name": name} for name in names]
    }
    return findings | {
        "features": names,
        "feature_columns": names,
        "path": path,
        "chosen": min(40, n_entries - 1),
        "coef": [full],
        "effects": [full],
        "data": data,
        "nested": None,
        "nested_reason": "it was not asked for",
    }


def plain(findings):
    """Whether findings survive a file of JSON: otherwise the tests would prove nothing."""
    return json.loads(json.dumps(findings, allow_nan=False)) == findings
