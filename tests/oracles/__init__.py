"""Literal definitions of everything the library computes, to compare it with.

Nothing in this folder imports ``holdfast``, and nothing is clever: a model is refitted from scratch
whenever its definition says so. Where a faster form is offered
(``ridge_refit.leverage_predictions``) ``tests/test_oracles.py`` compares it with the literal one.
"""
