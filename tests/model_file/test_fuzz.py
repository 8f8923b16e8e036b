"""Damaged files are refused, or say what the whole file says; valid nonsense is refused too."""

import contextlib
import json
import warnings

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from holdfast import load_model, save_model
from holdfast.cli.app import app
from holdfast.model_file import ModelFileError, exported, is_of_table
from holdfast.model_file.text import FORMAT, VERSION, checksum
from holdfast.report import write_report
from tests.model_file import cases, mutations, table_models

FILES = [
    "forward",
    "forward in groups, constrained",
    "forward results",
    "forward classes",
    "backward groups of rows",
    "LARS",
    "SVC classes",
    "SVC labels",
    "ridge targets",
    "ridge classes",
    "basis polynomial",
    "basis of words",
    "basis precomputed",
    "kernel two classes",
    "kernel ridge linear",
    "evidence columns targets",
    "evidence",
    "relevance",
]


def saved(folder):
    """Files by name, of models and of models of tables."""
    files = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {name: cases.fitted(name) for name in FILES} | table_models.made()
    for number, (name, model) in enumerate(models.items()):
        path = folder / f"{number}.json"
        save_model(model, path)
        files[name] = path
    return files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("files"))


def told(model):
    """Everything a model says of some rows; what it does not say is an error of the test."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        if hasattr(model, "encoding"):
            found = model.predict(table_models.rows_for(model))
            return [found[name].to_numpy() for name in found.columns]
        rows = np.random.default_rng(0).standard_normal((9, model.n_features_in_))
        found = [model.predict(rows), model.predict(sp.csr_array(rows))]
        if hasattr(model, "decision_function"):
            found.append(model.decision_function(rows))
        if hasattr(model, "log_evidence_"):
            found.extend(model.predict(rows, return_std=True))
    return found


def assert_numbers(found):
    for one in found:
        assert one.dtype.kind not in "fc" or np.isfinite(one).all()


def use(model):
    """What else is done with a model: none of it may raise anything but what it says it raises."""
    estimator = getattr(model, "estimator", model)
    repr(estimator)
    for language in ("sql", "python", "c"):
        with contextlib.suppress(ValueError):  # kernels in SQL, a NUL in a name
            exported(model, language)
    if hasattr(estimator, "truncate"):
        sizes = getattr(estimator, "path_sizes_", np.arange(len(estimator.selection_order_) + 1))
        for size in {int(sizes[0]), int(sizes[-1])}:
            assert_numbers(told(estimator.truncate(size)))


def show(path, model, shown):
    """``holdfast inspect`` and ``holdfast report``, of findings that were not shown before."""
    told_of = [model.findings, model.provenance] if is_of_table(model) else None
    if told_of in shown:
        return
    shown.append(told_of)
    for asked in (["inspect", str(path)], ["inspect", str(path), "--json"]):
        result = CliRunner().invoke(app, asked)
        assert result.exception is None, (asked, result.exception)
    if is_of_table(model) and model.findings:
        write_report(model.findings, path.with_suffix(".html"), provenance=model.provenance)


def run(files, tmp_path, count, seed):
    """As many mutations, over all files."""
    rng = np.random.default_rng(seed)
    whole = {name: told(load_model(path)) for name, path in files.items()}
    refused = 0
    for number in range(count):
        name = list(files)[number % len(files)]
        raw = files[name].read_bytes()
        if number % 2:
            changed = mutations.bytes_changed(raw, rng)
        else:
            document = mutations.values_changed(json.loads(raw), rng)
            changed = mutations.as_text(document).encode()
        (tmp_path / "changed.json").write_bytes(changed)
        try:
            found = told(load_model(tmp_path / "changed.json"))
        except ModelFileError:
            refused += 1
            continue
        for mine, theirs in zip(found, whole[name], strict=True):
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs), (name, number)
    return refused


def anywhere(content, rng):
    """One change of a content."""
    return mutations.values_changed(content, rng)


def in_findings(content, rng):
    """One change of what was found or of the origin."""
    name = ("findings", "findings", "findings", "provenance")[int(rng.integers(4))]
    part = mutations.values_changed(content["model"][name], rng)
    return content | {"model": content["model"] | {name: part}}


def run_with_valid_checksums(files, tmp_path, count, seed, change=anywhere):
    """The same of values, under a checksum that goes with them."""
    rng = np.random.default_rng(seed)
    refused = 0
    shown = []
    for number in range(count):
        name = list(files)[number % len(files)]
        document = json.loads(files[name].read_bytes())
        content = {key: document[key] for key in ("written_by", "model")}
        changed = change(content, rng)
        text = mutations.as_text(changed)
        try:
            stated = checksum(json.loads(text))
        except (ValueError, RecursionError):
            stated = "none: this has no canonical text"
        head = f'{{"format": "{FORMAT}", "schema": {VERSION}, "checksum": "{stated}", '
        (tmp_path / "changed.json").write_text(head + text[1:])
        try:
            model = load_model(tmp_path / "changed.json")
        except ModelFileError:
            refused += 1
            continue
        assert_numbers(told(model))
        use(model)
        show(tmp_path / "changed.json", model, shown)
        save_model(model, tmp_path / "again.json")
    return refused


def test_mutations(files, tmp_path):
    assert run(files, tmp_path, 400, seed=1) > 300


def test_mutations_with_valid_checksums(files, tmp_path):
    assert run_with_valid_checksums(files, tmp_path, 400, seed=2) > 200


def fitted(files):
    """Those with findings."""
    return {name: path for name, path in files.items() if name.startswith("fitted")}


def test_mutations_of_findings(files, tmp_path):
    refused = run_with_valid_checksums(fitted(files), tmp_path, 100, seed=5, change=in_findings)
    assert 20 < refused < 95


@pytest.mark.slow
def test_a_thousand_mutations_of_findings(files, tmp_path):
    run_with_valid_checksums(fitted(files), tmp_path, 1000, seed=6, change=in_findings)


@pytest.mark.slow
def test_ten_thousand_mutations(files, tmp_path):
    assert run(files, tmp_path, 10_000, seed=3) > 7_000


@pytest.mark.slow
def test_ten_thousand_mutations_with_valid_checksums(files, tmp_path):
    assert run_with_valid_checksums(files, tmp_path, 10_000, seed=4) > 5_000


def test_rows_are_those_of_the_model(files):
    assert isinstance(table_models.rows_for(load_model(files["table"])), pl.DataFrame)
