"""Seeded damage to files: bytes, and values of the JSON they hold."""

import copy
import json

DEPTHS = {f"nesting {depth} deep": depth for depth in (30, 60, 90, 200, 300, 400, 600, 900, 3000)}
POOL = [
    *DEPTHS,
    *("[/b] [bold]", "-1", "a\nb", {"text": "x"}, {"name": "x", "kind": "numeric"}, 1e299, -1e300),
    *(None, True, False, 0, -1, 1, 3, 2**31, 2**63, 10**30, 10**400),
    *(0.0, -0.0, 0.5, 1.5, -2.5, 1e308, -1e308, 5e-324, 1e16),
    *("", "x", "inf", "nan", "\ud800", "../../x", "__class__", "ForwardRidge", "rbf", "poly"),
    *([], {}, [[]], [1], [1.0], [None], [[1.0]], ["a"], [[1.0], [1.0, 2.0]]),
    *(float("nan"), float("inf"), float("-inf")),
    {"tuple": [1]},
    {"array": [[1], [2, 3]]},
    {"number": "inf"},
    {"dict": [[[], 1]]},
    {"splitter": "KFold", "parameters": {}},
    {"class": "ForwardRidge"},
    {"order": "F", "rows": [[1.0]]},
]


def bytes_changed(raw, rng):
    """A few bytes flipped, put in, taken out, doubled, or the end cut off."""
    raw = bytearray(raw)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(raw)))
        length = int(rng.integers(1, 30))
        kind = rng.integers(6)
        if kind == 0:
            raw[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            raw[place:place] = rng.bytes(length)
        elif kind == 2:
            del raw[place : place + length]
        elif kind == 3:
            raw[place:place] = raw[place : place + length]
        elif kind == 4:
            raw[place] = int(rng.choice(list(b'0123456789-.eE[]{}":, ')))
        else:
            del raw[place:]
            break
        if not raw:
            raw = bytearray(b" ")
    return bytes(raw)


def values_changed(document, rng):
    """A copy in which one value, key or entry is another, gone, or new."""
    document = copy.deepcopy(document)
    places = list(_places(document))
    container, key = places[int(rng.integers(len(places)))]
    kind = rng.integers(7)
    value = container[key]
    if kind <= 2:
        container[key] = _other(rng)
    elif kind == 3:
        del container[key]
    elif kind == 4 and isinstance(container, dict):
        container[str(_other(rng))[:20]] = container.pop(key)
    elif kind == 4:
        container.insert(key, copy.deepcopy(value))
    elif kind == 5 and isinstance(container, dict):
        container["another"] = _other(rng)
    elif kind == 5:
        container[key] = container[int(rng.integers(len(container)))]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        container[key] = [value + 1, -value, value * 2, str(value), float(value), [value]][
            int(rng.integers(6))
        ]
    else:
        container[key] = [value]
    return document


def _other(rng):
    return copy.deepcopy(POOL[int(rng.integers(len(POOL)))])


def _places(value):
    """Every container and key at which something stands."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def as_text(document):
    """JSON, with what Python's writer lets through and with nesting it would not write."""
    text = json.dumps(document)
    for name, depth in DEPTHS.items():
        text = text.replace(json.dumps(name), nested(depth))
    return text


def nested(depth):
    """Lists and objects inside each other."""
    return '[{"a":' * (depth // 2) + "0" + "}]" * (depth // 2)
