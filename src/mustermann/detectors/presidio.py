"""Presidio with its German recognisers, on a blank pipeline, a spaCy one, or with Flair's.

`presidio` finds what has a pattern; `presidio:PIPELINE` also what a spaCy pipeline takes for
a name, `presidio:flair:TAGGER` what a Flair tagger does. Presidio's own labels become coarse
classes by `maps/presidio.toml`. Nothing is fetched from the net.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import PluginError
from mustermann.detectors.flair import FlairDetector
from mustermann.detectors.label_map import load_label_map
from mustermann.detectors.prediction import disjoint
from mustermann.detectors.spacy import entity_labels, load_pipeline, pipeline_signature
from mustermann.documents.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GERMAN = (
    "DeBsnrRecognizer", "DeFuehrerscheinRecognizer", "DeHandelsregisterRecognizer",
    "DeHealthInsuranceRecognizer", "DeIdCardRecognizer", "DeKfzRecognizer", "DeLanrRecognizer",
    "DePassportRecognizer", "DePlzRecognizer", "DeSocialSecurityRecognizer", "DeTaxIdRecognizer",
    "DeTaxNumberRecognizer", "DeVatIdRecognizer",
)  # fmt: skip
"""Recognisers that Presidio writes for Germany and leaves off unless asked."""

GENERAL = (
    "CreditCardRecognizer", "DateRecognizer", "IbanRecognizer", "IpRecognizer", "UrlRecognizer",
)  # fmt: skip
"""Recognisers of every language."""

THRESHOLD = 0.35
"""What scores less is left out: patterns such as five digits that need context and have none."""

_LANGUAGE = "de"
_FLAIR = "flair:"
_ENTITIES = {
    "NAME": "PERSON", "LOCATION": "LOCATION", "ORG": "ORGANIZATION", "DATE": "DATE_TIME",
    "ID": "ID", "AGE": "AGE", "CONTACT": "PHONE_NUMBER",
}  # fmt: skip
"""What Presidio calls the classes that a pipeline finds."""


class PresidioDetector:
    """Finds what Presidio's analyzer finds.

    Attributes:
      name: "presidio".
      labels: Coarse classes of the entities that its recognisers know.
      signature: Changes with Presidio, the pipeline or tagger, and the label map.
    """

    name = "presidio"

    def __init__(self, path: str = "") -> None:
        """Sets the analyzer up.

        Args:
          path: A spaCy pipeline, "flair:" and a Flair tagger, or "" for patterns alone.

        Raises:
          PluginError: Presidio is not installed, or there is no such pipeline or tagger.
        """
        self._map = load_label_map("presidio")
        self._tagger = FlairDetector(path[len(_FLAIR) :]) if path.startswith(_FLAIR) else None
        spacy_path = "" if self._tagger else path
        self._engine, mapping, model = _engine(spacy_path)
        self._analyzer = _analyzer(self._engine, mapping)
        known = self._map.classes(self._analyzer.get_supported_entities(_LANGUAGE))
        self.labels = known | (self._tagger.labels if self._tagger else frozenset())
        parts = (
            metadata.version("presidio-analyzer"), model, self._map.signature, str(THRESHOLD),
            self._tagger.signature if self._tagger else "",
        )  # fmt: skip
        self.signature = "|".join(("presidio", *filter(None, parts)))

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans found in `text`, sorted and disjoint, in code points."""
        found = self._analyzer.analyze(
            text, _LANGUAGE, nlp_artifacts=_artifacts(self._engine, text)
        )
        spans = [
            Span(item.start, item.end, label)
            for item in found
            if item.start < item.end and (label := self._map.label(item.entity_type))
        ]
        if self._tagger:
            spans += self._tagger.detect(text)
        return disjoint(spans)


def _engine(path: str) -> tuple[Any, Mapping[str, str], str]:
    """Returns the engine of a spaCy pipeline, its entities by label, and the pipeline's name."""
    try:
        from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    except ImportError as error:
        raise PluginError(
            "Expected presidio-analyzer for detector 'presidio', found none. "
            "Install it: pip install 'mustermann[presidio]'."
        ) from error
    if path:
        pipeline = load_pipeline(path, detector="presidio")
        model = pipeline_signature(pipeline, path)
    else:
        import spacy

        pipeline, model = spacy.blank(_LANGUAGE), f"blank|{metadata.version('spacy')}"
    known = load_label_map("ner")
    mapping = {
        label: _ENTITIES[known.label(label)]
        for label in entity_labels(pipeline)
        if known.label(label) in _ENTITIES
    }
    ignored = sorted(set(entity_labels(pipeline)) - set(mapping))
    settings = NerModelConfiguration(
        model_to_presidio_entity_mapping=mapping, labels_to_ignore=ignored
    )
    engine: Any = SpacyNlpEngine(ner_model_configuration=settings)
    # Loading by name would download what is not installed.
    engine.nlp = {_LANGUAGE: pipeline}
    return engine, mapping, model


def _analyzer(engine: Any, mapping: Mapping[str, str]) -> Any:
    """Returns an analyzer with the German recognisers, the general ones and the pipeline's."""
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry, predefined_recognizers

    chosen = [
        getattr(predefined_recognizers, name)(supported_language=_LANGUAGE)
        for name in (*GERMAN, *GENERAL)
    ]
    chosen += [
        predefined_recognizers.PhoneRecognizer(
            supported_language=_LANGUAGE, supported_regions=("DE", "AT", "CH")
        ),
        _email_recognizer(),
    ]
    if mapping:
        chosen.append(
            predefined_recognizers.SpacyRecognizer(
                supported_language=_LANGUAGE, supported_entities=sorted({*mapping.values()})
            )
        )
    return AnalyzerEngine(
        registry=RecognizerRegistry(recognizers=chosen, supported_languages=[_LANGUAGE]),
        nlp_engine=engine, supported_languages=[_LANGUAGE], default_score_threshold=THRESHOLD,
    )  # fmt: skip


def _email_recognizer() -> Any:
    """Returns Presidio's pattern for mail addresses without the look-up of top-level domains.

    The look-up fetches a list from the net at its first use; a letter's text must not
    decide whether this machine calls out.
    """
    from presidio_analyzer import PatternRecognizer
    from presidio_analyzer.predefined_recognizers import EmailRecognizer

    return PatternRecognizer(
        supported_entity="EMAIL_ADDRESS", name="EmailRecognizer", supported_language=_LANGUAGE,
        patterns=EmailRecognizer.PATTERNS, context=EmailRecognizer.CONTEXT,
    )  # fmt: skip


def _artifacts(engine: Any, text: str) -> Any:
    """Returns what the pipeline makes of a text; a word without lemma stands for itself.

    A blank pipeline has no lemmas, and without words around a match no pattern that leans
    on context would ever be found.
    """
    from presidio_analyzer.nlp_engine import NlpArtifacts

    pipeline = engine.get_nlp(_LANGUAGE)
    pipeline.max_length = max(pipeline.max_length, len(text) + 1)
    made = engine.process_text(text, _LANGUAGE)
    return NlpArtifacts(
        entities=made.entities, tokens=made.tokens, tokens_indices=made.tokens_indices,
        lemmas=[token.lemma_ or token.text for token in made.tokens],
        nlp_engine=engine, language=_LANGUAGE, scores=made.scores,
    )  # fmt: skip
