"""`python -m mustermann`."""

from mustermann.cli.main import run

if __name__ == "__main__":
    run()
