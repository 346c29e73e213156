"""What all tests share."""

import pytest

import zermelo


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A data directory for all tests, so that a variant is solved once."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def mnk(data):
    """Tic-tac-toe, solved."""
    return zermelo.solve("mnk", data=data)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Has every test work in a folder of its own, and keep no database of people's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ZERMELO_DATA", raising=False)
