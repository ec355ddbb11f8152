"""From a prompt to its intent: one table of expressions, tried in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inarch_brief.offline.edits import Edit, Refusal, edit_of
from inarch_brief.offline.words import names_in, paths_in, stripped_politeness, subject_of, words_of

SUMMARIZE, EXPLAIN, CALLERS, CALLEES, COMPARE = "summarize", "explain", "callers", "callees", "compare"
LIST, FILE, EDIT, REFUSED, NEEDS_MODEL, HELP = "list", "file", "edit", "refused", "needs_model", "help"
UNCLEAR, SOURCE, CHANGES, CONFIGURE = "unclear", "source", "changes", "configure"
GUIDE, TESTS = "guide", "tests_of"

IN_FULL = "in full"
"""Words behind a question that ask for the full answer."""
_LONG = r"[\s,]+(?:in full|in (?:all |full )?detail|at length|--long|\(long\))[\s.?!]*$"
PROJECT = (
    r"(?:(?:this|the|that|my|our|your|whole|entire|current|a) )*(?:python |source )?(?:code ?base|code|repo|repository|"
    r"project|package|library|app|application|program|folder|directory|tool|work ?space|here|everything|this|it all)"
)
_PARTS = {
    "<PROJECT>": PROJECT,
    "<IT>": rf"(?:{PROJECT}|it)",
    "<ONE>": rf"(?:{PROJECT}|[\w.@/-]+)",
    "<I>": r"(?: (?:do|can|should|would|could|must|to|does)(?: i| we| you| one| people)?)",
    "<SHOW>": (
        r"(?:(?:show|give|tell|list|find|print|get)(?: me| us)?(?: about)? |what(?: is| are)? |which )?"
        r"(?:the |all |an? )*"
    ),
    "<RECENTLY>": r"(?:recently|lately|last|(?:in|during|over) the last [\w ]+|since [\w. -]+|this \w+|last \w+|today)",
    "<KEYS>": (
        r"(?:settings?|options?|config(?:uration)?(?: options?| keys?)?|preferences|parameters|flags|"
        r"command[- ]line options|environment variables?|env ?vars?)"
    ),
    "<SET>": r"(?:set|change|configure|customi[sz]e|adjust|tune|limit|specify|enable|disable|increase|reduce|override)",
}  # fmt: skip
"""Expansions of the names in angle brackets of the table."""
_RULES = r"""
summarize: summar overview tour descri explain what introduc tl about how walk
    (?:summari[sz]e|describe|explain|outline|introduce|walk (?:me|us) through|understand|tell (?:me|us) about|
    what(?: is| are)(?: in| inside)?|what does|how does|
    (?:give (?:me|us) )?(?:an? |the )?(?:\w+ )?(?:summary|overview|tour|introduction|purpose) (?:of|to))
     <PROJECT>(?: (?:do|about|for|all about|works?|is|briefly|in (?:short|brief)))*|
    summari[sz]e|(?:give (?:me|us) )?(?:an? |the )?(?:\w+ )?(?:summary|overview|introduction|tour)|tl;?dr|
    what am i looking at|what is (?:going on )?(?:here|there|this|in)(?: about)?
summarize/architecture: architect structure design layout layer component modules organi laid built
    <SHOW>(?:[\w-]+ )?(?:architecture|layers|components|design|import graph|structure|layout|organi[sz]ation)
    (?: (?:of|in) <PROJECT>)?|how (?:is|are) <PROJECT> (?:structured|organi[sz]ed|laid out|built)
list/tests: test
    how<I> (?:run |execute |start )?(?:the |its |all )*tests?|how (?:are|is) .*tests? run
list/entry points: run start launch
    how<I> (?:run|start|launch|execute)(?: <IT>)?
list/dependencies: depend require need
    what (?:does|do) <IT> (?:depend on|require|need)
list/versions: version
    (?:which|what)(?: \w+)? versions?\b.*|does <ONE> (?:support|need) python .*
list/commands: command
    (?:which|what) (?:sub ?)?commands (?:does|do) <ONE> have
list/marks: todo fixme left unfinished
    (?:.*\b)?(?:todos?|fixmes?)(?: (?:comments?|items?|list|marks?))?
    (?: (?:are )?(?:there|left|here|open))*(?: (?:in|below|under) (?P<what>[\w./-]+))?|
    what is (?:still )?(?:left|unfinished)(?: to do)?
list/exceptions: exception error
    <SHOW>(?:custom )?(?:exceptions?|errors?)(?: classes| types)?
    (?: (?:are|is) (?:there|defined)| (?:does|do) <ONE> (?:have|define|raise|throw)| in <PROJECT>)?
guide: install deploy contribut releas publish upgrad get use usage start set example build compil quick
    (?:how<I> |<SHOW>)(?P<facet>(?:pip )?install|set ?up|deploy|contribute|release|publish|upgrade|use|build|compile|
    get(?:ting)? started|usage|quick ?start|installation|contributing|examples?)
    (?: (?:to|with|using|of|for) <IT>| <ONE>)?(?: up| locally| from source| instructions?| guide)*
tests_of: test cover
    (?:(?:which|what)(?: unit)? tests? (?:are (?:there )?)?(?:for|of|covers?|covering|exercises?|checks?|calls?|uses?)|
    (?:is|are) there (?:an? |any )?tests? (?:for|of|covering)|<SHOW>(?:any )?tests? (?:for|of|covering)|who tests)
     (?P<what>.+?)|(?:is|are|where is|how is) (?P<it>.+?) tested|in the tests
changes/log: change release
    <SHOW>(?:its )?(?:change ?log|release notes)|
    what (?:did|does|is in|was in) (?:the )?(?:last|latest|newest) (?:release|version).*
changes: change commit history log new different touch
    (?:what(?: has| have| was| is)?(?: been)? (?:changed|new|different)(?: <RECENTLY>)?|
    <SHOW>(?:\d+ )?(?:last|latest|recent|newest)(?: \d+| few)? (?:changes?|commits?)|
    <SHOW>(?:git |commit |change )?(?:log|history))(?: (?:in|to|of|for) (?P<what>.+?))?|
    (?:when was|who)(?: has)?(?: last)? (?:it|(?P<it>.+?)) (?:last )?(?:changed|touched)(?: last)?|
    who (?:last )?(?:changed|touched) (?P<that>.+?)(?: last)?
configure: default
    what (?:is|are) the default(?: value| setting)?s?(?: (?:for|of))?(?: (?P<what>.+?))?|
    (?:what|which|is|are|does)(?: is)? (?:the )?(?P<it>.+?) (?:(?:on|off|set|used|enabled)? ?by default|default to)
configure: setting option config preference parameter flag environment env
    (?:(?:which|what|list|show|find) )?(?:the |all |any |me |are )*<KEYS>
    (?: (?:are|is|can|does|do|i|you|we|be|read|used|use|set|supported|available|there|it))*
    (?: <ONE> (?:have|has|takes?|reads?|support)|
    (?: (?:for|of|has|about|does|do|in) (?P<what>.+?)(?: have| take| read)?)?)
configure: set config custom adjust tune limit specify able increase reduce override change
    (?:how|where)<I> (?:<SET>|put) (?P<what>.+?)|(?:configure|customi[sz]e|tune) (?P<it>.+)|
    how (?:is|are) (?P<that>.+?) (?:configured|customi[sz]ed)|what can (?:i|we|one|be) (?:configured?|set)
callers: class inherit extend derive import depend require need
    (?:who|what|which \w+)(?: all)?
     (?:subclass(?:es)?|inherits? from|extends?|derives? from|imports?|depends? on|requires?|needs?) (?P<what>.+?)|
    where is (?P<it>.+?) imported|<SHOW>(?:sub ?classes|child classes|dependents|importers) of (?P<that>.+)
callees: call invoke depend use callee
    (?:what|which \w+) (?:does|do) (?P<what>.+?) (?:call|invoke|use|depend on|rely on)|<SHOW>callees of (?P<it>.+)
callers: call use usage invoke reference instantiate create raise break affected impact
    (?:who|what|which (?:code|functions?|methods?|places?|modules?|classes)|where)(?: all)? (?:calls?|uses?|invokes?|
    references?|instantiates?|creates?|raises?) (?P<what>.+?)|
    <SHOW>(?:every )?(?:callers?|call ?sites?|usages?|uses?|references?|users?) (?:of|to|for) (?P<it>.+)|
    (?:where|from where) (?:is|are|does) (?P<that>.+?) (?:get |being )*
    (?:called|used|invoked|referenced|raised)(?: from)?|
    is (?P<name>\S+) (?:called|used)(?: anywhere)?|
    what (?:breaks|would break|is affected|would be affected) (?:if|when) (?:i |we |you )?(?:change|remove|rename|
    delete|edit|touch)s?d? (?P<changed>.+)|(?:what is )?(?:the )?impact of \w+ing (?P<edited>.+)
compare: differ compar contrast
    .*\bdifferences? (?:is |are )?between (?P<one>[^,;]{1,60}?) (?:and|&) (?P<other>[^,;]{1,60}?)
compare: compar contrast
    (?:compare|contrast) (?P<one>[^,;]{1,60}?) (?:and|to|with|against) (?P<other>[^,;]{1,60}?)
compare: differ compar
    how (?:do|does|is|are) (?P<one>[^,;]{1,60}?) (?:and|differ from|different from) (?P<other>[^,;]{1,60}?)
    (?: differ| compare)?
compare: vs
    (?:what is )?(?P<one>[^,;]{1,60}?) vs\.? (?P<other>[^,;]{1,60}?)
"""
"""Kind and facet, words of which one is in every match, and the expression below them."""
FACETS = {
    "commands": r"(?:cli|command[- ]line|console|shell)?\s*(?:sub ?)?commands?|cli|command[- ]line interface",
    "routes": r"(?:http|url|api|rest|web)?\s*(?:routes?|end ?points?|urls?|views?)",
    "entry points": r"entry[- ]?points?|(?:console )?scripts?|executables?|main functions?",
    "tests": r"(?:unit |integration |existing )?(?:tests?|test (?:files?|cases?|suites?|functions?))",
    "dependencies": r"(?:runtime |third[- ]party |external |dev )*(?:dependenc(?:y|ies)|requirements?|libraries)",
    "classes": r"(?:public )?classes",
    "functions": r"(?:public )?functions",
    "modules": r"(?:sub ?)?(?:modules|packages)",
    "files": r"(?:source )?files",
    "licence": r"licen[sc]e",
}
"""Nouns of each kind of list."""
_LIST_WORDS = words_of("""
    list show enumerate print display name what which give find get are there is how many see me us all every
    any the its of this these each available top-level main for to on does do here that project codebase code
    package library repo repository app application in it i we you can have has use uses used exist exists
    defined provide provides offer offers need needs run tool my our under licensed please and where they tell about""")
_FRAMES = {
    r"(?:i am |i'm |we are |we're |currently |now )*(?:working|work|hacking) on (?P<what>.+)": EXPLAIN,
    r"(?:i|we)(?:'m| am| are|'d| would)?(?: about| going| want| need| have| like| plan| trying)+ to "
    r"(?:change|touch|modify|edit|rework|extend|refactor|improve|work on|fix|replace|rewrite)(?: the (?:way|part)| how|"
    r" what| code)?(?: that| where| of)? (?P<what>.+?)(?: works?| is done)?": EXPLAIN,
    r"add (?:an? |the )?(?:[\w-]+ )?(?:check|test|validation|guard)s? (?:for|of|against) (?P<what>.+)": NEEDS_MODEL,
    r"(?:fix|repair|debug)(?: the| an?)?(?: \w+)?? (?:bugs?|problems?|issues?|errors?|faults?) "
    r"(?:that|where|when|in which|in|with) (?P<what>.+)": NEEDS_MODEL,
    r"the plugin .{1,60}? holds back the end of (?:the|this) turn: (?P<what>.+)": NEEDS_MODEL,
    r"change (?:how|the way) (?P<what>.+?)(?: works?| is done)?": NEEDS_MODEL,
}
"""Phrases around the subject of a change. An imperative asks for the change itself, which needs a model."""
_TALK = {
    "thanks": r"(?:many )?thanks?(?: (?:you|a lot|so much|very much))*|thx|cheers|ok(?:ay)?|cool|great|nice|yes|no|"
    r"danke|merci|gracias|grazie|obrigad[oa]",
    "bye": r"bye|goodbye|see you",
    "why": r"why(?: not| so)?|how come|really|what|how|where|who|when|and|so",
    "hello": r"(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|day)|greetings)(?: there| all)?|test|ping|"
    r"hallo|hola|bonjour|ciao|olá|help(?: me)?|usage|\?+|(?:who|what) are you.*|what can (?:you|i|inarch) (?:do|ask).*|"
    r"how (?:are you|can you help).*|what do you do",
}
"""Small talk."""
_FOREIGN = words_of("""
    wie wo wer warum wird werden ist sind und der das den ein eine nicht hier im für von comment pourquoi quoi où
    qui est sont les des une dans avec cómo qué quién dónde porque está el los las del una como onde quem não são uma
    dei il della dove chi perché sono waar wat waarom het een wordt zijn niet was mir fait ce que este esta fa doet dit
    co robi ten o faz hace""")
"""Words that are seldom in English. Two of them make a question foreign."""
_PLAINLY_FOREIGN = words_of("""
    dieses diese dieser macht gibt erkläre erklär zeige projekt funktioniert werden warum projet cette explique montre
    pourquoi proyecto explica muestra quién dónde cómo código projeto mostre explique questo progetto spiega perché
    waarom wordt""")
"""Words that never are in English. One makes a question foreign unless it has a word of `_ENGLISH`, too."""
_ENGLISH = words_of("the are does what how where which who why of this that these show list explain when for")
_MODEL_VERBS = words_of("""
    fix implement add write refactor improve optimise optimize review debug port convert generate design update
    upgrade make remove build clean rewrite migrate translate solve suggest propose create extend change modify
    rename simplify test audit commit edit insert repair complete develop delete replace move format split merge
    extract run execute swap""")
_PRONOUNS = words_of("it its that this them they those these one")
_WHAT_HAPPENS = words_of(
    "defined declared implemented validated checked configured set called used created tested it them"
)
_SEE = r"(?:(?:can i see|let me see|see|show|print|give|display|read)(?: me| us)? )?"
_CODE = r"(?:full |whole )?(?:source(?: code)?|code|body|implementation)"


class Intent(NamedTuple):
    """The intent of a prompt.

    Args:
        kind: One of the constants of this module.
        subject: The words to search for.
        names: Identifiers in the prompt, unchanged.
        path: The file or folder in question.
        facet: The item of a list or a guide (`commands`, `tests`, `install`).
        edit: The requested change, or why it is not one.
        long: Whether the full answer is requested.
        seed: Whether it names code to be changed: the path to it is requested.
        whole: The only subject of a "what is" question, which may be the project.
    """

    kind: str
    subject: str = ""
    names: tuple[str, ...] = ()
    path: str = ""
    facet: str = ""
    edit: Edit | Refusal | None = None
    long: bool = False
    seed: bool = False
    whole: str = ""


def parse(prompt: str, earlier: Sequence[str] = (), place: str = "") -> Intent:
    """Return the intent of a prompt.

    Args:
        prompt: The user's prompt.
        earlier: The prompts before it, oldest first.
        place: The definition or file of the last answer, which `it` and `that` mean.
    """
    while earlier and re.fullmatch(_LONG, f" {prompt.strip()}", re.I):  # of the question before, never of an edit
        prompt, earlier = f"{earlier[-1]}, {IN_FULL}" if edit_of(earlier[-1]) is None else "", earlier[:-1]
    prompt, long = _in_full(prompt)
    edit = edit_of(prompt)
    if edit is not None:
        return Intent(REFUSED, edit=edit) if isinstance(edit, Refusal) else Intent(EDIT, path=edit.path, edit=edit)
    text = stripped_politeness(prompt)
    if talk := _talk(prompt, text):
        return Intent(HELP, facet=talk)
    intent = _framed(prompt) or _source(text, place) or _classified(text)
    if _is_follow_up(text, intent):
        before = parse(earlier[-1]) if earlier and not place else Intent(UNCLEAR)
        names = (place,) if place else before.names
        subject = place or before.subject or before.path
        intent = intent._replace(subject=subject, names=names) if subject else Intent(UNCLEAR)
    return intent._replace(long=long)


def _in_full(prompt: str) -> tuple[str, bool]:
    text = prompt.rstrip()
    found = re.compile(_LONG, re.I).search(text, max(len(text) - 40, 0))
    return (text[: found.start()], True) if found and found.start() else (prompt, False)


def _talk(prompt: str, text: str) -> str:
    """Return the kind of small talk or of unreadable question, or ""."""
    low = " ".join(prompt.lower().split()).rstrip(" ?!.,")
    words = re.findall(r"\w+", low)
    if not words:
        return "hello" if "?" in prompt else "nothing"
    if talk := next((kind for kind, pattern in _TALK.items() if re.fullmatch(pattern, low)), ""):
        return talk
    spoken = set(words)
    is_strange = bool(spoken & _PLAINLY_FOREIGN or re.search(r"[^\W\d_a-z]", low)) and not spoken & _ENGLISH
    is_foreign = len(spoken & _FOREIGN) > 1 or (is_strange and len(words) > 1) or not re.search("[a-z]", low)
    return "foreign" if is_foreign and not names_in(text) and re.search(r"[^\W\d]", low) else ""


def _framed(prompt: str) -> Intent | None:
    """Read a phrase about code to be changed, or return None."""
    text = " ".join(prompt.split()).replace("’", "'").strip(" .!?")[:600]
    for pattern, kind in _FRAMES.items():
        if found := re.fullmatch(rf"(?:please )?{pattern}", text, re.I):
            return _about(kind, found["what"])._replace(seed=True)
    return None


def _source(text: str, place: str) -> Intent | None:
    """Read a request for code: of a name, or of the last answer."""
    if found := re.fullmatch(rf"{_SEE}(?:the )?{_CODE} (?:of|for) (?P<what>[\w.`']+(?:\(\))?)", text, re.I):
        name = found["what"].strip("`'").removesuffix("()")
        if name.lower() not in _PRONOUNS and not re.fullmatch(PROJECT, name, re.I):
            return Intent(SOURCE, subject=name, names=(name,))
    if re.fullmatch(rf"{_SEE}(?:its|that|the) {_CODE}(?: of (?:it|that|this))?", text, re.I):
        return Intent(SOURCE, subject=place, names=(place,)) if place else Intent(UNCLEAR)
    return None


def _rules(low: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, facet and expression of the rules that share a word with a text."""
    head, pattern = "", ""
    for line in [*_RULES.splitlines()[1:], ":"]:
        if line.startswith("    "):
            pattern += line[4:]
            continue
        kinds, _, words = head.partition(":")
        if any(word in low for word in words.split()):
            for name, part in _PARTS.items():
                pattern = pattern.replace(name, part)
            kind, _, facet = kinds.partition("/")
            yield kind, facet, pattern
        head, pattern = line, ""


def _classified(text: str) -> Intent:
    low = text.lower()
    asks_what = r"(?:what (?:is|are|does|do)|explain|describe|summari[sz]e|tell me about)(?: the| an?)?"
    found = re.fullmatch(rf"{asks_what} (?P<what>[\w.@/-]+)(?: (?:do|about|for))*", text, re.I)
    whole = found["what"] if found else ""
    is_name = whole[:1].isupper() or (bool(whole) and low.endswith(" do"))
    if not is_name and (facet := _facet(low)):
        return Intent(LIST, facet=facet)
    for kind, facet, pattern in _rules(low):
        if (found := re.fullmatch(pattern, text, re.I)) and (intent := _read(kind, facet, found)):
            return intent
    names, paths, verb = names_in(text), paths_in(text), low.partition(" ")[0]
    if len(names) > 1 and re.match(r"(?:how|what|where|explain|describe)\b.*(?:\band\b|\bor\b|,)", low):
        apart = not any(f".{one}".endswith(f".{other}") for one in names for other in names if one != other)
        return Intent(COMPARE, subject=" ".join(names), names=names[:4]) if apart else _about(EXPLAIN, text)
    if paths and verb not in _MODEL_VERBS and _is_about_path(low, paths[0]):
        return Intent(FILE, path=paths[0], subject=subject_of(text), names=names)
    if verb in _MODEL_VERBS and len(text.split()) > 1:
        return _about(NEEDS_MODEL, text.partition(" ")[2])
    one = re.fullmatch(r"(?:where|what) (?:is|are) [`'\"]?([A-Za-z_])[`'\"]?(?: defined| declared)?", text)
    if one:  # `a` and `i` would be question words
        return Intent(EXPLAIN, subject=one[1], names=(one[1],))
    intent = _about(EXPLAIN, text)
    if located := re.fullmatch(r"(\S+) (?:defined|declared|implemented)", intent.subject):
        intent = intent._replace(subject=located[1], names=intent.names or (located[1],))
    return intent._replace(whole=whole)


def _read(kind: str, facet: str, found: re.Match[str]) -> Intent | None:
    """Return the intent of a match, or None if it does not fit after all."""
    groups = {name: value.strip(" `'\"?") for name, value in found.groupdict().items() if value}
    if kind == COMPARE:
        sides = (_side(groups["one"]), _side(groups["other"]))
        return Intent(COMPARE, subject=" ".join(sides), names=sides)
    facet = groups.pop("facet", facet).lower()
    what = next(iter(groups.values()), "")
    if kind in (CALLERS, CALLEES) and not (names_in(what) or len(what.split()) <= 3):
        return None  # it describes a behaviour
    if re.fullmatch(PROJECT, what, re.I):
        if kind == CALLEES:
            return Intent(LIST, facet="dependencies")
        what = "" if kind in (CONFIGURE, CHANGES, LIST) else what
    recently = rf"^(?:the|a|an|any|some|its|my) |\s+{_PARTS['<RECENTLY>']}$"
    what = re.sub(recently, "", what, flags=re.I)
    if kind in (CALLERS, CALLEES) and re.fullmatch(r"\w+(?:\.\w+)*(?:\(\))?", what):
        name = what.removesuffix("()")
        return Intent(kind, subject=name, names=(name,)) if name.lower() not in _PRONOUNS else Intent(kind)
    subject = what if kind in (CHANGES, LIST) else subject_of(what)
    return Intent(kind, subject=subject, names=names_in(what), facet=facet)


def _side(text: str) -> str:
    """Remove the article of a name. A plain noun with one is probably a class: `a request`."""
    article, _, noun = text.partition(" ")
    if article.lower() not in ("a", "an", "the"):
        return text
    return noun.capitalize() if noun.isalpha() and noun.islower() else noun


def _about(kind: str, text: str) -> Intent:
    return Intent(kind, subject=subject_of(text), names=names_in(text))


def _facet(low: str) -> str:
    """Return the list that a noun among filler words asks for."""
    words = low.split()
    first = next((index for index, word in enumerate(words) if word not in _LIST_WORDS), len(words))
    last = next((index for index in range(len(words), first, -1) if words[index - 1] not in _LIST_WORDS), first)
    noun = " ".join(words[first:last])
    return next((facet for facet, nouns in FACETS.items() if noun and re.fullmatch(nouns, noun)), "")


def _is_about_path(low: str, path: str) -> bool:
    """Return whether the question is about the file itself, and not something in it."""
    rest = [word for word in subject_of(low.replace(path.lower(), " ")).split() if word not in ("file", "module")]
    return not rest or bool(re.match(r"(?:explain|summari[sz]e|describe|show|read|open|cat|print|view)\b", low))


def _is_follow_up(text: str, intent: Intent) -> bool:
    """Return whether a prompt refers to the last answer by `it` without a subject of its own."""
    if intent.names or intent.kind not in (CALLERS, CALLEES, EXPLAIN, TESTS, CHANGES):
        return False
    spoken = set(re.findall(r"\w+", text.lower()))
    has_own = any(word.lower() not in _PRONOUNS | _WHAT_HAPPENS for word in intent.subject.split())
    asks_it = "it" in spoken if intent.kind == CHANGES else bool(_PRONOUNS & spoken)
    return (asks_it or (intent.kind == TESTS and not intent.subject)) and not has_own and not paths_in(text)
