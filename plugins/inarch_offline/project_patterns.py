"""The phrasings of questions about a project as such: guides, manifests, exceptions, decorators, tests."""

from __future__ import annotations

from inarch_offline.topic_kinds import DECLARED, DECORATORS, GUIDE, IN, IT, ONE, RAISES, SHOW, TESTS

VERBS = {
    "install": r"(?:pip |npm )?install|set ?up|setting up|setup|set$",
    "deploy": r"deploy|host|put",
    "contribute": r"contribut|submit|send",
    "release": r"releas|publish",
    "upgrade": r"upgrad|updat|migrat",
    "build": r"build|compil",
    "use": r"us|quick ?start|get|start|begin|example|tutorial|try",
}
"""Which guide a verb or a noun asks for."""
FACTS = {
    "versions": r"(?:python|node(?:\.?js)?|ruby|go|rust|java|php|interpreter|supported|minimum|versions? of)",
    "authors": r"(?:who|authors?|maintainers?|contributors)",
    "links": r"(?:documentation|docs|repo|source|home|web|issue|bug|report|chat|url|find)",
    "version": r"version",
}
"""Which line of a manifest is asked for."""
LOGS = {"log": r"change ?log|release notes|news|release|version"}
"""Words by which the changelog itself is asked for."""
_LANGUAGE = r"(?:python|node(?:\.?js)?|ruby|go|rust|java|php)"
_I_DO = r"(?:do|can|should|would|could|must|to|does)(?: i| we| you| one| people)?"
_PLACES = (
    r"(?: (?:locally|from source|with (?:pip|npm|conda|docker|uv)|on \w+|in (?:production|development|a \w+|my "
    r"\w+)|to (?:production|a "
    r"server|\w+)|"
    r"for (?:development|production)|as a \w+|myself|first))*"
)
_ERRORS = r"(?:exceptions?|errors?)"
PROJECT_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        GUIDE,
        (
            rf"how {_I_DO} (?:get started with|start using|begin using) {ONE}",
            rf"how {_I_DO} (?P<verb>(?:pip )?install|set ?up|deploy|host|contribute to|release|publish|upgrade|"
            rf"update|migrate to|"
            rf"migrate) {IT}{_PLACES}",
            rf"how {_I_DO} (?P<verb>(?:pip |npm )?install|deploy|contribute|release|upgrade) "
            rf"?(?P<what>[\w.@/-]*){_PLACES}",
            rf"how {_I_DO} (?P<verb>use|build|compile|try)(?: {IT})?{_PLACES}",
            rf"how {_I_DO} (?P<verb>set) {IT} up{_PLACES}",
            rf"(?:how {_I_DO} |where {_I_DO} )?(?P<verb>get(?:ting)? started)",
            rf"how (?:is|are|was) {IT} (?P<verb>installed|deployed|used|built|released|published|compiled|set "
            rf"up){_PLACES}",
            rf"(?:can|could) (?:i|we|you) (?P<verb>pip install|npm install|install) {IT}{_PLACES}",
            rf"(?:{SHOW}|where (?:is|are) )(?:the |some |any |me |an? )*(?P<verb>install(?:ation)?|deploy(?:ment)?|"
            rf"set ?up|"
            r"usage|quick ?start|getting started|contributing|contribution|build|release|upgrade)"
            rf"(?: (?:instructions?|steps?|guide(?:lines)?|examples?|process|docs))?(?: {IN} {ONE})?",
            rf"{SHOW}(?:the |some |an? |any )*(?P<verb>examples?|tutorials?)(?: {IN} (?:using )?{IT})?",
        ),
    ),
    (
        DECLARED,
        (
            rf"(?:which|what) (?P<verb>{_LANGUAGE}|supported|minimum) ?(?:{_LANGUAGE} )?versions?\b.*",
            rf"(?:which|what) (?P<verb>versions? of) {_LANGUAGE}\b.*",
            rf"(?:the |what is the )?(?P<verb>minimum|supported|oldest|lowest|required) (?:supported |required "
            rf")?{_LANGUAGE}(?: versions?)?\b.*",
            rf"(?:does|do|can|will|is|are) {ONE} (?:support|work (?:with|on)|run (?:with|on|under)|compatible "
            rf"with|need|require|supported on)"
            rf" (?P<verb>{_LANGUAGE})(?: (?:version )?[\d.]+\+?)?",
            r"(?:which|what)(?: is)?(?: the)?(?: current| latest| newest)? (?P<verb>version)(?: number)?(?: "
            r"(?:is|of|are) .*| do (?:i|we) have| am i .*)?",
            rf"(?P<verb>who) (?:wrote|made|maintains|created|develops|develop|owns|is behind|built|authored|"
            rf"(?:is|are) the (?:authors?|"
            rf"maintainers?|creators?|owners?)(?: of)?)(?: {IT})?",
            rf"(?:list |show |name )?(?:the )?(?P<verb>authors|maintainers|contributors)(?: of {IT})?",
            r"where (?:is|are|can i find|do i find|can i read|does one find) (?:the |its |this project's "
            r")*(?:online |official )?(?P<verb>documentation|docs|"
            rf"repo(?:sitory)?|source repository|home ?page|web ?site|issue tracker|bug tracker|issues|chat)(?: "
            rf"{IN} {IT})?(?: hosted| kept)?",
            r"where (?:do|can|should) (?:i|we|one) (?P<verb>report|file|open) (?:a |an )?(?:bugs?|issues?|"
            r"problems?)(?: .*)?",
        ),
    ),
    (
        RAISES,
        (
            rf"(?:which|what)(?: kinds? of)? {_ERRORS}(?: all)? (?:can|could|does|do|may|might|will|would) "
            rf"(?P<what>.+?) "
            r"(?:raise|throw|produce|give|cause|return|end in|fail with|emit)(?:s|n)?",
            rf"(?:which|what)(?: kinds? of)? {_ERRORS} (?:can|could|may|might|will|are|is|get|gets) (?:be "
            rf")?(?:raised|thrown|caught)"
            r"(?: (?:by|in|from|when) (?P<what>.+))?",
            rf"(?:which|what)(?: kinds? of)? {_ERRORS} (?:should|must|do|can|could) (?:i|we|one|you) (?:catch|"
            rf"handle|expect|watch for|be ready for)"
            r"(?: (?:from|when|for|in|of|with|by|if) (?P<what>.+))?",
            r"(?:the |all |list )*(?:exceptions?|errors?) (?:that are )?(?:thrown|raised) by (?P<what>.+)",
            r"what (?:can|could|may|might) go wrong(?: (?:with|in|when|if) (?P<what>.+))?",
            r"what (?:all )?(?:can|could|does|do|may|might|will) (?P<what>.+?) (?:raise|throw)",
            rf"how {_I_DO} (?:catch|handle) (?:the |all |any )*{_ERRORS}(?: (?:from|of|in|by|raised by) "
            rf"(?P<what>.+))?",
            rf"(?:which|what)(?: kinds? of)? {_ERRORS} (?:can|could|may|might) (?:happen|occur|arise|come up|go "
            rf"wrong)(?: .*)?",
            rf"(?:{SHOW}|are there |how many )(?:the |all |any |its |custom |own |public |kinds? of "
            rf")*(?:{_ERRORS}|{_ERRORS} "
            r"(?:class(?:es)?|types?|hierarchy|tree))"
            rf"(?: (?:are|is) there| exist| (?:does|do) {ONE} (?:have|define|raise|provide|offer|throw)| are "
            rf"defined| {IN} {ONE}|"
            r" here| defined here)*",
            r"(?:the )?(?:exception|error)(?: class)? (?:hierarchy|tree|classes|types)",
        ),
    ),
    (
        DECORATORS,
        (rf"(?:{SHOW}|are there |how many )(?:the |all |any |its |public |built-?in )*decorators?\b(?P<what>.*)",),
    ),
    (
        TESTS,
        (
            r"(?:which|what)(?: unit| integration)? tests?(?: are there| is there| exist| do we have)? "
            r"(?:for|about|of|covers?|covering|tests?|exercises?|checks?|uses?|calls?|hits?|touch(?:es)?|"
            r"verif(?:y|ies)|deals? with|"
            r"(?:is|are) (?:about|for)) (?P<what>.+)",
            r"(?:is|are) there (?:an? |any |some )?(?:unit |integration )?tests? (?:for|of|about|covering|that "
            r"covers?|on) (?P<what>.+)",
            r"(?:list|show|find|give|where are)(?: me| us)? (?:the |all |any )*(?:unit )?tests? (?:for|of|about|"
            r"covering|that cover) (?P<what>.+)",
            r"tests? (?:for|of|about|covering) (?P<what>.+)",
            r"(?:what is )?(?:the )?test coverage (?:of|for) (?P<what>.+)",
            r"(?:where|how|is|are) (?:is |are )?(?P<what>.+?) (?:unit[- ]?)?tested(?: here| anywhere)?",
            r"(?:who|what) (?:calls?|uses?) (?P<what>.+?) (?:in|from|inside) (?:the |its )?tests?",
            r"(?:who|what) (?:tests|covers) (?P<what>.+)",
            r"(?:how about |what about )?(?:in|from) (?:the |its )?tests(?P<what>)",
        ),
    ),
)
