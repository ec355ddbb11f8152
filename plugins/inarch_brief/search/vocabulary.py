"""Hand-made lists of words: stop words, weak words, irregular verbs, and near words of programmers."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a an and any are as at be been being but by can could did do does doing done each either for from get gets got
    had has have how i if in into is it its itself just let like may me might more most must my no nor not of off
    on once one only or other our out over own per please shall she should show so some such tell than that the
    their them then there these they thing things this those through to too under until up upon us use used uses
    using very via was way we were what when where whether which while who whom whose why will with within without
    would you your also here self cls none true false def return
    nobody somebody someone anybody anyone everybody everyone something anything everything nothing
    """.split()  # noqa: SIM905 - a list of a hundred strings is no easier to read
)
"""Words of questions and of every function. Alone they are not terms, inside an identifier they are."""

WEAK_WORDS = frozenset(
    """
    actual actually bug called case class code codebase decide decides decided define defined determine determined
    exactly expected explain find finds found function give given gives happen happens implement implementation
    implemented implements issue know library locate located logic look looks make makes method module package part
    place possible problem project python repo repository responsible source take taken takes turned want wants
    work worked working works wrong
    """.split()  # noqa: SIM905
)
"""Words of questions that occur in names, too; they count little."""

_NEAR = """
remove delete drop discard erase unregister; throttle delay sleep wait slow pause; login authenticate auth credential
signin password; retry backoff again attempt; cache memoize memo remember; environment env envvar environ;
configuration config conf cfg setting preference; parameter param argument arg option flag; attribute attr property
field; directory dir folder; string str text; number num int integer; message msg; request req; response resp reply;
exception exc error err failure; function func callable callback; initialize init setup start; value val; format fmt;
length len size count; index idx position offset; temporary temp tmp; context ctx; database db; command cmd
subcommand; process proc subprocess; parse read decode deserialize load; serialize dump encode marshal; render display
show draw print; color colour style; width wide; check validate verify ensure assert; create make build construct new;
choose pick select decide; combine merge join concatenate concat; compare equal eq diff; convert cast coerce
transform; fetch download retrieve; send post transmit upload; terminate kill stop abort quit; timeout deadline expire
expiry; redirect location; escape quote sanitize; unescape unquote; warn warning deprecate; log logger logging; path
filename file; url uri link; list array sequence; dictionary dict mapping map; thread worker concurrent parallel;
asynchronous async await coroutine; iterate loop traverse walk visit; guess infer detect sniff; limit max maximum cap
bound; minimum min; previous prev; reference ref; document doc; character char; duplicate copy clone; encryption
encrypt tls ssl; certificate cert verify; compress gzip deflate zip; whitespace blank space; newline linebreak line;
hidden hide mask; default fallback; order sort; plugin extension addon; hook callback handler listener; session
connection; cookie jar; header head; query search lookup find; test assertion; template layout; variable var;
translate translation locale i18n; shortcut alias; nest nested inner; ignore skip exclude; wrap decorate decorator;
undo revert rollback restore; shell completion complete; user username; repeat again multiple; random shuffle
"""

_IRREGULAR = """
keep kept; send sent resent; write wrote written; rewrite rewrote rewritten; overwrite overwrote overwritten; choose
chose chosen; build built rebuilt; throw threw thrown; catch caught; hold held; tell told; run ran; begin began begun;
break broke broken; hide hid hidden; lose lost; spend spent; draw drew drawn redrawn; know knew known; show shown;
take took taken; give gave given; make made; override overrode overridden; grow grew grown; fall fell fallen; undo
undone; forget forgot forgotten; speak spoke spoken; steal stole stolen; wake woke woken; drive drove driven; deal
dealt; feed fed; meet met; pay paid; seek sought; sleep slept; sweep swept; teach taught; think thought; understand
understood; win won; mean meant; hang hung; withdraw withdrew withdrawn; tear torn; bring brought; buy bought; sell
sold; say said; see seen; stick stuck; strike struck; shrink shrank shrunk; sink sank sunk; spin spun; stand stood;
bend bent; lend lent; go went gone; become became; come came; eat ate eaten; rise risen; freeze froze; shake shook
shaken
"""


IRREGULAR = {form: verb for verb, *forms in map(str.split, _IRREGULAR.split(";")) for form in forms}
"""Irregular forms of verbs: a question about what is kept finds `keep`."""


def near_words() -> dict[str, tuple[str, ...]]:
    """Return the near words of each word."""
    found: dict[str, dict[str, None]] = {}
    for group in _NEAR.split(";"):
        words = group.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(words))
    for word, others in found.items():
        del others[word]
    return {word: tuple(others) for word, others in found.items()}
