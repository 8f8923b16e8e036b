"""What a fit has found, as one HTML file that needs nothing else."""

from holdfast.report.writing import write_report

__all__ = ["write_report"]
