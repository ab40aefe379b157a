"""``python -m costboost`` is the command line."""

from costboost.app.cli import main

if __name__ == "__main__":
    main()
