"""Who runs in rounds, who once, and who is only scaled: minutes a feature, not minutes a run."""

from __future__ import annotations

import pytest
from benchmarks.claims import peers_compared
from benchmarks.peers import mlxtend_sequential, sklearn_sequential
from benchmarks.problems import planted
from benchmarks.report import Section

FIVE_FOLDS = [sklearn_sequential.FIVE_FOLDS, mlxtend_sequential.FIVE_FOLDS]


@pytest.mark.parametrize("peer", FIVE_FOLDS, ids=["sklearn", "mlxtend"])
def test_peers_that_take_minutes_run_whole_once_and_are_judged(peer):
    pytest.importorskip(peer.package)
    ours = peers_compared.holdfast_forward.PEER
    section = Section("Peers")
    peers_compared._compare(section, planted(40, 8, 2), [ours, peer], [], rounds=2)
    assert not section.rejected
    first, second = section.tables[0].rows
    assert peer.name in second[0]
    assert second[4].endswith("(once)")
    assert "once" not in first[4]
    assert float(second[5]) > 0  # the referee's error of its answer
    (seconds,) = section.raw.values()
    assert len(seconds[ours.name]) == 2
    assert len(seconds[peer.name]) == 1


def test_only_what_takes_minutes_for_a_feature_is_scaled():
    scaled = [peer for peer in peers_compared.ALL if peer.part is not None]
    assert all("every refit done" in peer.optimises for peer in scaled)
    assert len(scaled) == 3
