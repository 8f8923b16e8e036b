"""Criteria: ledgers that score models without refitting them."""
