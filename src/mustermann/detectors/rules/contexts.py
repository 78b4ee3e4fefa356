"""What stands before or behind a name: the patterns that announce one."""

from __future__ import annotations

import re

from mustermann.detectors.rules.names import WORD
from mustermann.detectors.rules.words import (
    FUNCTIONS,
    HONORIFIC,
    LOWER,
    PARTICLE,
    RELATIVES,
    TITLE,
    TITLE_AFTER,
    UPPER,
    any_of,
)

FUNCTION = any_of(FUNCTIONS)
RELATIVE = any_of(RELATIVES)
BIRTH = re.compile(
    r"(?:\*|†|[gG](?<!\w.)(?i:eb(?:oren)?(?:e[rn]?)?)\b\.?)[ ]{0,2}(?:am\b|[:])?[ :]*"
    r"(?=\d{1,2}[./ ]|\d{4}-)"
)
LABELLED = re.compile(
    r"(?<!\w)(?:Patient(?:in|en)?|PATIENT(?:IN)?|Pat|Name(?: des Patienten| der Patientin"
    r"|, Vorname)?"
    r"|NAME|Betr(?:eff|ifft)?|Nachname|Familienname|Vorname|Patientenname|Pat\.-?Name|Zuname"
    r"|Name/Vorname|Versicherte[rn]?)"
    r"(?:\.?:|[ ]?\||(?=\t))[ \t]{0,4}(?:Herrn?[ ]|Frau[ ])?(?=\S)"
)
PATIENT = re.compile(
    r"(?<!\w)(?:Patient(?:in|en)?|Pat\.)(?:[ ]|,[ ](?:Herrn?|Frau)[ ])(?:\n)?(?=\S)"
)
RELATIVE_NAME = re.compile(
    rf"(?<!\w)(?:{RELATIVE}|(?<=eine )Frau(?= \()|(?<=hr )Mann(?= \())(?:[:,] ?|[ ]\(?)(?=\S)"
)
TITLED = re.compile(rf"(?<![\w])(?={TITLE})")
HONORED = re.compile(
    rf"(?<!\w){HONORIFIC}(?:[ ]{{1,3}}|\n)(?P<function>(?:(?:{FUNCTION})\b\.?[ ]{{1,2}})*)(?=\S)"
)
ADDRESSED = re.compile(r"\b[Ll]iebe[rs]?[ ](?!Koll|Frau|Herr|Grü)(?=\S)")
SALUTATION = re.compile(r"(?:[Ss]ehr )?(?:geehrte|verehrte|werte|liebe)[rs]? [^\n]{0,60}$")
FUNCTIONAL = re.compile(
    rf"(?<![\w-])(?P<word>{FUNCTION})(?:/in)?(?:[ ](?:der|des|für|Innere|Abt\.)[^\n:,]{{1,30}})?"
    r"(?P<mark>[:,]?)[ \t]{1,3}(?=\S)"
)
DONE_BY = re.compile(
    r"\b(?:[Gg]eschrieben|[Dd]iktiert|[Ee]rstellt|[Ff]reigegeben|[Vv]idiert|[Vv]alidiert"
    r"|[Bb]efundet"
    r"|[Uu]nterzeichnet|[Ss]igniert|[Oo]periert|[Dd]okumentiert|[Üü]berwiesen|[Uu]ntersucht"
    r"|[Uu]ntersuchung) (?:von|durch):?[ ](?:Herrn?[ ]|Frau[ ])?(?=\S)"
    r"|\b(?:gez\.|i\. ?[AV]\.|CC:|cc:|Durchschrift an|Durchschrift:|Kopie an:?|Nachrichtlich:"
    r"|elektronisch signiert:?|z\. ?Hd\.|c/o|An:?)[ ](?:Herrn?[ ]|Frau[ ])?(?=\S)"
)
TEAM = re.compile(
    r"(?:[Üü]berleitung|[Bb]eratung|[Bb]etreuung|[Vv]ersorgung|[Aa]nmeldung|[Ss]ozialdienst\w*"
    r"|[Tt]herapie|[Kk]onsil\w*|[Ss]tation\w*|[Rr]ückfragen|\d)"
    r"(?: (?:durch|mit|über|an|bei)[ ]\(?|,?[ ]\()(?=[^\W\d_a-zäöüß])"
)
BRACKET = re.compile(r"\((?=[^\W\d_a-zäöüß])")
SERVICE = re.compile(
    r", (?:Physio|Ergo|Logo|Sozial|Pflege|Ernährung|Diabetes|Case|Station|Fach|Ober|Assistenz|Chef"
    r"|Haus|Psycho|Wund|Stoma|Diät|Seelsorge|Schmerz)\w*"
)
MAIDEN = re.compile(
    rf"\b(?:geb\.|geborene[rn]?|verw\.|verwitwete|gesch\.|Geburtsname:?)[ ]"
    rf"(?P<name>(?:{PARTICLE}[ ])?{WORD})"
)
DEGREE = re.compile(
    rf"^[ \t]*(?P<name>(?:[{UPPER}][{LOWER}]?\.[ ]|{WORD}[ ]){{1,3}}?{WORD}),?[ ]{TITLE_AFTER}",
    re.MULTILINE,
)
PLURAL = re.compile(r"(?:,| und| u\.| &|/)[ ]{0,2}(?=\S)")
SHORT = frozenset(
    {"OA", "OÄ", "CA", "CÄ", "AA", "AÄ", "FOA", "LOA", "LOÄ", "Schwester", "Pfleger", "Hebamme"}
)
GREETING = re.compile(r"(?i:mit\s[^\n]{0,40}gr(?:ü|u)(?:ß|ss)e?n?|hochachtungsvoll|\bmfg\b)[^\n]*")
CHUNK = re.compile(r"[^\n\t/]+?(?=[ ]{2,}|[\n\t/]|$)")
BLOCK_NAME = re.compile(
    rf"^[ \t]*(?P<name>(?:[{UPPER}][{LOWER}]?\.[ ]?|{WORD}[ ]|{PARTICLE}[ ]){{1,4}}{WORD})[ \t]*$",
    re.MULTILINE,
)
LAST_FIRST = re.compile(
    rf"(?P<family>(?:{PARTICLE}[ ])?{WORD}(?:[ ]{WORD})?),[ ]{{1,2}}"
    rf"(?P<given>{WORD}(?:[ ]{WORD})?)(?![\w])"
)
BACKWARD = re.compile(
    rf"(?<!\w)(?:(?:[{UPPER}][{LOWER}]?\.(?:-?[{UPPER}]\.)*|{PARTICLE}|{WORD})[ ]{{1,2}}){{0,5}}"
    rf"{WORD}$"
)
BACKWARD_COMMA = re.compile(
    rf"(?<!\w)(?P<family>(?:{PARTICLE}[ ])?{WORD}),[ ]{{0,2}}(?P<given>{WORD}(?:[ ]{WORD})?)$"
)
