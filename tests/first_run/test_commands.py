"""The script of the first ten minutes is whole; ``.ci/run`` runs it in a fresh environment."""

from tests.first_run.run import HERE, TABLES, steps


def test_there_are_many_commands_and_each_is_checked():
    asked = steps()
    assert len(asked) >= 30
    assert all(step.says or step.keeps_quiet_about or step.leaves for step in asked)
    verbs = {word for step in asked for word in step.command.split()}
    assert verbs >= {"fit", "predict", "compare", "report", "inspect", "export", "demo"}
    assert all((HERE / table).is_file() for table in TABLES)
