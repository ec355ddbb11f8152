"""The command line of Acme."""

import click

from acme.reading import read_table
from acme.validation import TableError, validate_table


@click.group()
def main() -> None:
    """Work with tables."""


@main.command()
@click.argument("file", type=click.Path(exists=True))
def check(file: str) -> None:
    """Report what is wrong with the table in FILE."""
    try:
        validate_table(read_table(file))
    except TableError as error:
        raise click.ClickException(str(error)) from error
    click.echo("fine")
