"""The figures of measure.py in each interpreter, a line each: all.py WHEELS SCRATCH."""

import pathlib
import sys

from checks import run
from pythons import environment, interpreters

wheels, scratch = map(pathlib.Path, sys.argv[1:3])
measure = pathlib.Path(__file__).with_name("measure.py")
for version, interpreter in sorted(interpreters().items()):
    python = environment(interpreter, wheels, scratch / ".".join(map(str, version)))
    print(run(python, "-B", measure).strip())
