"""What installs an extra's packages, as a user can type it from a clone and with an installed package alike."""

from __future__ import annotations

import pytest

from cdlm import extras
from cdlm.extras import install_command

DECLARED = [
    "torch>=2.5",
    'pandas>=2.2; extra == "pandas"',
    "pyarrow>=16.0 ; extra == 'pandas'",
    'pandas>=2.2; extra == "test"',
    'coval @ git+https://github.com/ns-moosavi/coval ; extra == "coval"',
    'python-multipart>=0.0.18; python_version > "3" and extra == "serve"',
]


def test_requirements_are_those_of_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "requires", lambda name: DECLARED)
    assert install_command("pandas") == "pip install pandas pyarrow"
    assert install_command("coval") == "pip install git+https://github.com/ns-moosavi/coval"
    assert install_command("serve") == "pip install python-multipart"
