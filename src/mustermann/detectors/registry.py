"""Detectors by name: `rules`, or with what they need after a colon: `crf:MODEL`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mustermann.core import plugins
from mustermann.core.errors import PluginError
from mustermann.documents.detector import Detector

if TYPE_CHECKING:
    from collections.abc import Callable


def load_detector(spec: str) -> Detector:
    """Returns the detector that `spec` names.

    Args:
      spec: A plugin's name, or "name:argument", where the argument is a path or model id.

    Raises:
      PluginError: It is unknown, its dependencies are missing, or it is no detector.
    """
    name, colon, argument = spec.partition(":")
    factory: Callable[..., object] = plugins.load("mustermann.detectors", name)  # type: ignore[assignment]
    try:
        made = factory(argument) if colon else factory()
    except TypeError as error:
        needs = (
            "needs something after the colon, such as a model's path"
            if not colon
            else "takes nothing after a colon"
        )
        raise PluginError(f"Detector {spec!r} {needs}.") from error
    if not isinstance(made, Detector):
        raise PluginError(
            f"Expected {name!r} to make a detector with name, labels, signature and detect, "
            f"got {type(made).__name__}."
        )
    return made
