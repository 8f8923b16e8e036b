"""One file per question; each has a ``run(mode)`` that returns a `benchmarks.report.Section`."""
