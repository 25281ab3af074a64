"""Refuses to start without the program under test."""

import os
from pathlib import Path

import pytest


def pytest_configure(config):
    if not Path(os.environ.get("PLIANT_BIN", "unset")).exists():
        raise pytest.UsageError("PLIANT_BIN must name the pliant program; `cargo xtask test python` sets it")
