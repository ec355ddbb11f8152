"""The phrasings of questions that have an answer of their own, by kind; tried in order."""

from __future__ import annotations

import re

from inarch_offline.phrasings import PROJECT

CHANGES, MARKS, FILES, CONFIGURE, DEPENDENTS, EXISTS = "changes", "marks", "files", "configure", "dependents", "exists"
ARCHITECTURE, COMMANDS, ENVIRONMENT, SUBCLASSES = "architecture", "commands", "environment", "subclasses"
GUIDE, DECLARED, RAISES, DECORATORS, TESTS, GATHER = "guide", "declared", "raises", "decorators", "tests_of", "gather"

_SHOW = (
    r"(?:(?:show|give|tell|list|find|print|get|draw|describe|explain)(?: me| us)?(?: about)? |"
    r"what(?: is| are)? |which )?"
)
RECENTLY = (
    r"(?:recently|lately|last|of late|since [\w. -]+|(?:in|during|over) the last [\w ]+|this \w+|last \w+|"
    r"today|yesterday)"
)
_IN = r"(?:in|to|with|of|for|on|about)"
_WHAT = r"(?P<what>.+?)"
_OF = rf"(?: {_IN} {_WHAT})?"
_ALL = r"(?:the |all |any |open |every |remaining |known |other |me |are )*"
_MARK = r"(?:todos?|to-dos?|fixmes?|xxxs?|todo (?:comments?|items?|list|notes?))"
_KEYS = (
    r"(?:settings?|options?|configuration(?: options?| keys?)?|config|preferences|parameters|flags|"
    r"environment variables?|env(?:ironment)? ?vars?)"
)
_SAYS_LITTLE = (
    r"(?:are|is|can|does|do|has|have|there|it|one|i|you|we|be|get|gets|read|used|use|uses|set|supported|available|"
    rf"recogni[sz]ed|respected|honou?red|looked at|by|{PROJECT})"
)
_HANDLE = (
    r"(?:handles?|deals? with|(?:are |is )?(?:responsible for|about|concerned with|involved in|related to|for)|"
    r"implements?|contains?|does|do|covers?|has|have to do with|manages?|mentions?)"
)
_HAS = (
    r"(?:have|support|offer|provide|know|handle|contain|include|come with|ship(?: with)?|do|understand|speak)"
    r"(?: an?| any| some| support for)?"
)
VERBS = {
    "install": r"(?:pip |npm )?install|set ?up|setting up|setup",
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
_LANGUAGE = r"(?:python|node(?:\.?js)?|ruby|go|rust|java|php)"
_IT = rf"(?:{PROJECT}|it|this|that)"
_ONE = rf"(?:{_IT}|[\w.@/-]+)"
_I_DO = r"(?:do|can|should|would|could|must|to|does)(?: i| we| you| one| people)?"
_PLACES = (
    r"(?: (?:locally|from source|with (?:pip|npm|conda|docker|uv)|on \w+|in (?:production|development|a \w+|my "
    r"\w+)|to (?:production|a "
    r"server|\w+)|"
    r"for (?:development|production)|as a \w+|myself|first))*"
)
_ERRORS = r"(?:exceptions?|errors?)"
_PATTERNS_OF_PROJECTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        GUIDE,
        (
            rf"how {_I_DO} (?:get started with|start using|begin using) {_ONE}",
            rf"how {_I_DO} (?P<verb>(?:pip )?install|set ?up|deploy|host|contribute to|release|publish|upgrade|"
            rf"update|migrate to|"
            rf"migrate) {_IT}{_PLACES}",
            rf"how {_I_DO} (?P<verb>(?:pip |npm )?install|deploy|contribute|release|upgrade) "
            rf"?(?P<what>[\w.@/-]*){_PLACES}",
            rf"how {_I_DO} (?P<verb>use|build|compile|try|start) {_IT}{_PLACES}",
            rf"how (?:is|are|was) {_IT} (?P<verb>installed|deployed|used|built|released|published|compiled|set "
            rf"up){_PLACES}",
            rf"(?:can|could) (?:i|we|you) (?P<verb>pip install|npm install|install) {_IT}{_PLACES}",
            rf"(?:{_SHOW}|where (?:is|are) )(?:the |some |any |me |an? )*(?P<verb>install(?:ation)?|deploy(?:ment)?|"
            rf"set ?up|"
            r"usage|quick ?start|getting started|contributing|contribution|build|release|upgrade)"
            rf"(?: (?:instructions?|steps?|guide(?:lines)?|examples?|notes|process|docs))?(?: {_IN} {_ONE})?",
            rf"{_SHOW}(?:the |some |an? |any )*(?P<verb>examples?|tutorials?)(?: {_IN} (?:using )?{_IT})?",
        ),
    ),
    (
        DECLARED,
        (
            rf"(?:which|what) (?P<verb>{_LANGUAGE}|supported|minimum) ?(?:{_LANGUAGE} )?versions?\b.*",
            rf"(?:which|what) (?P<verb>versions? of) {_LANGUAGE}\b.*",
            rf"(?:the |what is the )?(?P<verb>minimum|supported|oldest|lowest|required) (?:supported |required "
            rf")?{_LANGUAGE}(?: versions?)?\b.*",
            rf"(?:does|do|can|will|is|are) {_ONE} (?:support|work (?:with|on)|run (?:with|on|under)|compatible "
            rf"with|need|require|supported on)"
            rf" (?P<verb>{_LANGUAGE})(?: (?:version )?[\d.]+\+?)?",
            r"(?:which|what)(?: is)?(?: the)?(?: current| latest| newest)? (?P<verb>version)(?: number)?(?: "
            r"(?:is|of|are) .*| do (?:i|we) have| am i .*)?",
            rf"(?P<verb>who) (?:wrote|made|maintains|created|develops|develop|owns|is behind|built|authored|"
            rf"(?:is|are) the (?:authors?|"
            rf"maintainers?|creators?|owners?)(?: of)?)(?: {_IT})?",
            rf"(?:list |show |name )?(?:the )?(?P<verb>authors|maintainers|contributors)(?: of {_IT})?",
            r"where (?:is|are|can i find|do i find|can i read|does one find) (?:the |its |this project's "
            r")*(?:online |official )?(?P<verb>documentation|docs|"
            rf"repo(?:sitory)?|source repository|home ?page|web ?site|issue tracker|bug tracker|issues|chat)(?: "
            rf"{_IN} {_IT})?(?: hosted| kept)?",
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
            r"what (?:all )?(?:can|could|does|do|may|might|will) (?P<what>.+?) (?:raise|throw)",
            rf"how {_I_DO} (?:catch|handle) (?:the |all |any )*{_ERRORS}(?: (?:from|of|in|by|raised by) "
            rf"(?P<what>.+))?",
            rf"(?:which|what)(?: kinds? of)? {_ERRORS} (?:can|could|may|might) (?:happen|occur|arise|come up|go "
            rf"wrong)(?: .*)?",
            rf"(?:{_SHOW}|are there |how many )(?:the |all |any |its |custom |own |public |kinds? of "
            rf")*(?:{_ERRORS}|{_ERRORS} "
            r"(?:class(?:es)?|types?|hierarchy|tree))"
            rf"(?: (?:are|is) there| exist| (?:does|do) {_ONE} (?:have|define|raise|provide|offer|throw)| are "
            rf"defined| {_IN} {_ONE}|"
            r" here| defined here)*",
            r"(?:the )?(?:exception|error)(?: class)? (?:hierarchy|tree|classes|types)",
        ),
    ),
    (
        DECORATORS,
        (rf"(?:{_SHOW}|are there |how many )(?:the |all |any |its |public |built-?in )*decorators?\b(?P<what>.*)",),
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
            r"(?:where|how|is|are) (?:is |are )?(?P<what>.+?) (?:unit[- ]?)?tested(?: here| anywhere)?",
            r"(?:who|what) (?:calls?|uses?) (?P<what>.+?) (?:in|from|inside) (?:the |its )?tests?",
            r"(?:who|what) (?:tests|covers) (?P<what>.+)",
            r"(?:how about |what about )?(?:in|from) (?:the |its )?tests(?P<what>)",
        ),
    ),
)
PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *_PATTERNS_OF_PROJECTS,
    (
        ARCHITECTURE,
        (
            rf"{_SHOW}(?:the |an? )?"
            r"(?:(?:high[- ]level|overall|general|software|system|package|module|import) )*"
            r"(?:architecture|components?|import graph|dependency graph|package structure|module structure|"
            r"(?:package|module|dependency|architecture) diagram)(?: diagram| overview| picture)?"
            rf"(?: {_IN} {PROJECT})?",
            rf"how (?:is|are) {PROJECT} (?:structured|organi[sz]ed|laid out|architected|built|put together)",
            r"how do(?:es)? (?:the |its |all )*(?:modules?|packages?|parts?|pieces|components?|layers?) "
            r"(?:fit|work|hang|belong|depend|relate|connect)(?: together| (?:on|to|with) each other)?",
            r"who imports whom|which (?:modules?|packages?) imports? which",
        ),
    ),
    (
        CHANGES,
        (
            r"what(?: has| have| was| is| are)?(?: been| got)? "
            rf"(?:changed|new|different|done|happened|happening|going on) {RECENTLY}{_OF}",
            rf"what(?: has| have| was| is)?(?: been| got)? (?:changed|new){_OF}",
            rf"{_SHOW}(?:the |all )*(?:\d+ )?(?:last|latest|recent|newest|most recent)(?: \d+| few| couple of)? "
            rf"(?:changes?|commits?|edits?|history|work|updates?){_OF}",
            rf"{_SHOW}(?:the )?(?:git |commit |change )?(?:log|history){_OF}",
            rf"(?:when|by whom) (?:was|were|did|has) {_WHAT} (?:last |been )*"
            r"(?:changed?|touched|edited|modified|updated)(?: last)?",
            rf"who (?:has )?(?:last )?(?:changed|touched|edited|modified) {_WHAT}(?: last)?",
        ),
    ),
    (
        MARKS,
        (
            rf"(?:{_SHOW}|are there |how many |where are ){_ALL}{_MARK}(?:(?:,| and| or|/)+ ?{_MARK})*"
            rf"(?: {_IN} {PROJECT}| (?:are )?(?:there|left|open|here))*",
        ),
    ),
    (
        FILES,
        (
            r"(?:which|what|find|list|show)(?: me)?(?: the| all)? (?:source )?(?:files?|modules?) "
            rf"(?:that |which )?(?:all )?{_HANDLE} {_WHAT}",
            rf"(?:in )?(?:which|what) files? (?:is|are) {_WHAT} (?:handled|implemented|done|managed|spread over)",
        ),
    ),
    (
        COMMANDS,
        (
            r"(?:which|what) (?:cli |command[- ]line |console )?(?:sub ?)?commands "
            r"(?:has|have|does|do|are in|are there in|comes? with|are offered by|are provided by) "
            rf"{_WHAT}(?: have| offer| provide| support| come with| know)?",
            rf"(?:list|show)(?: me)?(?: the| all)* (?:sub ?)?commands of {_WHAT}",
        ),
    ),
    (
        CONFIGURE,
        (
            rf"(?:which|what|list|show|find) {_ALL}{_KEYS}(?: {_SAYS_LITTLE})*"
            rf"(?: (?:for|of|has|have|about|does|do|affect) {_WHAT}"
            r"(?: has| have| takes?| reads?| uses?| supports?| knows?| looks? at"
            r"| respects?| honou?rs?| needs?| accepts?)?)?",
            r"(?:(?:how|where) (?:do|can|could|should|would|to|does)(?: i| we| you| one)? ?)?"
            rf"(?:configure|customi[sz]e|adjust|tune|set up) {_WHAT}",
            rf"(?:how|where) (?:is|are|can|could) (?:the )?{_WHAT} (?:be )?(?:configured|customi[sz]ed|adjusted|"
            rf"tuned)",
        ),
    ),
    (
        SUBCLASSES,
        (
            r"(?:who|what|which (?:classes|types|code|exceptions|errors))(?: all)? "
            rf"(?:subclass(?:es)?|inherits? from|extends?|(?:is|are) derived from|derives? from) {_WHAT}",
            rf"(?:{_SHOW}|are there |how many ){_ALL}(?:direct )?(?:sub|child |derived )classes of {_WHAT}",
        ),
    ),
    (
        DEPENDENTS,
        (
            r"(?:who|what|which (?:modules?|files?|packages?|code|parts?|places?))(?: all)? "
            rf"(?:imports?|depends? (?:up)?on|requires?) {_WHAT}",
            rf"(?:where|how often) is {_WHAT} imported(?: from)?",
        ),
    ),
    (
        GATHER,
        (
            r"(?:which|what)(?: kinds? of| sorts? of| built-?in)? (?!(?:source )?files\b|"
            r"tests\b)(?P<what>[\w-]+(?: [\w-]+)?s) "
            r"(?:are there|are (?:available|supported|built in|included|defined|provided|offered)|exist|can i use|"
            rf"(?:does|do|has|have) {_ONE}(?: already)?(?: have| support| offer| provide| know| come with| "
            rf"include| ship)?)"
            r"(?: (?:here|by default|out of the box))?",
            r"(?:which|what|list|show|find)(?: me)?(?: all| the| public)* (?P<verb>classes|functions|methods|"
            r"constants|types) "
            r"(?:(?:that|which|are|is|there|can|could|do|does|for|about|to|it|in|of|has|have|responsible|used|who) )*"
            r"(?P<what>.+?)(?: have| has| offer| provide)?",
        ),
    ),
    (
        EXISTS,
        (
            r"(?:is|are) there (?:(?:an?|any|some|already an?|something like|support for|a way to(?: have)?) )?"
            rf"(?:built-?in )?{_WHAT}(?: support)?(?: here| in (?:here|this|it))?",
            rf"(?:does|do|can|has|have) (?:it|this|they|{PROJECT}|you)(?: already| also)? {_HAS} {_WHAT}",
        ),
    ),
)
ABOUT_IT = re.compile(rf"{PROJECT}|it|there|here|one", re.I)
