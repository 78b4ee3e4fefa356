"""The exception tree.

* MustermannError
  + ConfigError            a setting is wrong; raised before any data is read
  + DataError              an input table or corpus breaks its contract
    - SpanError            a span does not fit its text
  + PrivacyError           going on would spend budget that is not there
  + PluginError            a named plugin is unknown, broken or not installed
    - UnknownPluginError   nobody offers that name; a ConfigError too

A message is one line: what was expected, what was found, where, what to do.
"""

from __future__ import annotations


class MustermannError(Exception):
    """Base of every error that a caller may want to catch."""


class ConfigError(MustermannError, ValueError):
    """A setting is wrong; raised before any data is read."""


class DataError(MustermannError, ValueError):
    """An input table or corpus breaks its contract."""


class SpanError(DataError):
    """A span does not fit the text it is attached to."""


class PrivacyError(MustermannError, RuntimeError):
    """Going on would spend privacy budget that is not there."""


class PluginError(MustermannError, LookupError):
    """A named plugin is unknown, broken or not installed."""


class UnknownPluginError(PluginError, ConfigError):
    """Nobody offers a plugin of that name: an argument is wrong, not the installation."""
