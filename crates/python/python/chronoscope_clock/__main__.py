"""``python -m chronoscope_clock`` is the command ``chronoscope``."""

import os
import subprocess
import sys

from ._tool import ToolError, command


def main() -> int:
    try:
        line = [command(), *sys.argv[1:]]
        if os.name == "posix":
            os.execv(line[0], line)
        return subprocess.call(line)
    except ToolError as error:
        print(f"chronoscope_clock: {error}", file=sys.stderr)
    except OSError as error:
        print(f"chronoscope_clock: cannot start {line[0]}: {error.strerror}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
