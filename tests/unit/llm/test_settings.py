from pathlib import Path

import pytest

from mustermann.core.config import resolve
from mustermann.core.errors import ConfigError
from mustermann.llm.settings import LlmSettings, LlmTuning


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "http://h/v1"}, "name of a language model"),
        ({"model": "m"}, "base URL"),
        ({"model": "m", "url": "localhost:8000"}, "base URL"),
        ({"model": "m", "url": "ftp://h/v1"}, "base URL"),
        ({"model": "m", "url": "http://h:port/v1"}, "base URL"),
        ({"model": "m", "url": "http://me:s3cret@h/v1"}, "MUSTERMANN_LLM_KEY"),
        ({"model": "m", "offline": True}, "--llm-cache"),
    ],
)
def test_settings_that_no_request_can_be_made_from_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message) as caught:
        LlmSettings(**settings)
    assert "s3cret" not in str(caught.value)


def test_offline_needs_no_server():
    assert LlmSettings(model="m", offline=True, cache=Path("c.jsonl")).url == ""


@pytest.mark.parametrize("override", ["timeout_s=0", "retries=-1", "schema=never", "tme=3"])
def test_tuning_is_checked(override):
    with pytest.raises(ConfigError):
        resolve(LlmTuning, overrides=[override])


def test_cost_is_by_the_million():
    assert LlmTuning(input_price=2.0, output_price=10.0).cost(500_000, 100_000) == 2.0
