"""``python -m latentdag.command``."""

import sys

from latentdag.command import main

sys.exit(main())
