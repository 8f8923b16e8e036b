"""Models of tables: a method from one list, how the table becomes numbers, what was found.

Nothing is imported here: the list of methods is read by the help of the command line, which loads
no arithmetic.
"""
