"""Searches: short loops that ask a ledger for moves and record what they visit."""
