"""The phrasings of questions that have an answer of their own, by kind; tried in order."""

from __future__ import annotations

from inarch_offline.phrasings import PROJECT
from inarch_offline.project_patterns import PROJECT_PATTERNS
from inarch_offline.topic_kinds import (
    ARCHITECTURE,
    CHANGES,
    COMMANDS,
    CONFIGURE,
    DEPENDENTS,
    ENTRIES,
    EXISTS,
    FILES,
    GATHER,
    IN,
    IT,
    MARKS,
    NEEDS,
    ONE,
    RECENTLY,
    SHOW,
    SUBCLASSES,
)

_WHAT = r"(?P<what>.+?)"
_OF = rf"(?: {IN} {_WHAT})?"
_ALL = r"(?:the |all |any |open |every |remaining |known |other |me |are )*"
_MARK = r"(?:todos?|to-dos?|fixmes?|xxxs?|(?:todo|fixme|xxx) (?:comments?|items?|list|notes?|marks?))"
_KEYS = (
    r"(?:settings?|options?|config(?:uration)?(?: options?| keys?| values?| settings?)?|command[- ]line options|"
    r"preferences|parameters|flags|"
    r"environment variables?|env(?:ironment)? ?vars?)"
)
_SAYS_LITTLE = (
    r"(?:are|is|can|does|do|has|have|there|it|one|i|you|we|be|get|gets|read|used|use|uses|set|supported|available|"
    rf"recogni[sz]ed|respected|honou?red|looked at|by|{PROJECT})"
)
_HANDLE = (
    r"(?:handles?|deals? with|(?:are |is )?(?:responsible for|about|concerned with|involved in|related to|for)|"
    r"implements?|contains?|does|do|covers?|has|have to do with|manages?|mentions?|reads?|writes?)"
)
_HAS = (
    r"(?:have|support|offer|provide|know|handle|contain|include|come with|ship(?: with)?|do|understand|speak)"
    r"(?: an?| any| some| support for)?"
)
_OTHERS = (
    r"(?:other |third[- ]party |external |foreign |direct |runtime |python |npm |packages? |librar(?:y|ies) |"
    r"modules? |distributions? |dependenc(?:y|ies) )"
)
PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *PROJECT_PATTERNS,
    (
        NEEDS,
        (
            rf"(?:what|which) (?:{_OTHERS})*(?:does|do) {_WHAT} (?:depend (?:up)?on|rely on|need|require)",
            rf"(?:what|which) (?:{_OTHERS})+(?:does|do) {_WHAT} (?:import|use)",
            rf"(?:what|which) (?:{_OTHERS})*(?:is|are) (?:needed|required) (?:by|for) {_WHAT}",
            rf"{SHOW}(?:the |all |every )*(?:{_OTHERS})*(?:dependencies|requirements) (?:of|for) {_WHAT}",
            rf"{SHOW}{_WHAT}['’]s? (?:{_OTHERS})*(?:dependencies|requirements)",
        ),
    ),
    (
        ARCHITECTURE,
        (
            rf"{SHOW}(?:the |an? )?"
            r"(?:(?:high[- ]level|overall|general|software|system|package|module|import|main|core|key|different) )*"
            r"(?:architecture|components?|layers|building blocks|design|(?:project|code) (?:structure|layout|"
            r"organi[sz]ation)|import graph|dependency graph|package structure|module structure|"
            r"(?:package|module|dependency|architecture) diagram)(?: diagram| overview| picture)?"
            rf"(?: {IN} {PROJECT})?",
            rf"{SHOW}(?:the |an? )?(?:overview|diagram|picture|map|structure|graph|tour) of (?:the |all |its )*"
            r"(?:modules|packages|components|layers|parts|imports|dependencies)",
            rf"how (?:is|are) {PROJECT} (?:structured|organi[sz]ed|laid out|architected|built|put together)",
            r"how do(?:es)? (?:the |its |all )*(?:modules?|packages?|parts?|pieces|components?|layers?) "
            r"(?:fit|work|hang|belong|depend|relate|connect)(?: together| (?:on|to|with) each other)?",
            r"who imports whom|which (?:modules?|packages?) imports? which",
        ),
    ),
    (
        CHANGES,
        (
            rf"{SHOW}(?:the |its )?(?P<verb>change ?log|release notes)(?: {IN} {PROJECT})?",
            r"what (?:did|does|has|is in|was in|came with) (?:the )?(?:last|latest|newest|current) "
            r"(?P<verb>release|version)"
            r"(?: (?:change|bring|add|fix|contain)(?:d|s|ed)?)?",
            r"what (?:is|was) (?:the )?(?:last|latest|newest|current) (?P<verb>release|version) about",
            r"what(?: has| have| was| is| are)?(?: been| got)? "
            rf"(?:changed|new|different|done|happened|happening|going on) {RECENTLY}{_OF}",
            rf"what(?: has| have| was| is)?(?: been| got)? (?:changed|new){_OF}",
            rf"{SHOW}(?:the |all )*(?:\d+ )?(?:last|latest|recent|newest|most recent)(?: \d+| few| couple of)? "
            rf"(?:changes?|commits?|edits?|history|work|updates?){_OF}",
            rf"{SHOW}(?:the )?(?:git |commit |change )?(?:log|history){_OF}",
            rf"(?:when|by whom) (?:was|were|did|has) {_WHAT} (?:last |been )*"
            r"(?:changed?|touched|edited|modified|updated)(?: last)?",
            rf"who (?:has )?(?:last )?(?:changed|touched|edited|modified) {_WHAT}(?: last)?",
        ),
    ),
    (
        MARKS,
        (
            rf"(?:{SHOW}|(?:is|are) there |how many |where are )(?:an? )?{_ALL}{_MARK}(?:(?:,| and| or|/)+ ?{_MARK})*"
            rf"(?: {IN} {PROJECT}| (?:are )?(?:there|left|open|here))*(?: (?:in|below|under) (?P<what>[\w./-]+))?",
            r"what (?:is|are) (?:still )?(?:left|open|unfinished|missing|outstanding)(?: to do| to be done)?|"
            r"what (?:still )?(?:needs|has|remains) to be done|(?:unfinished|outstanding|open|remaining) (?:work|"
            r"tasks?|issues?)",
        ),
    ),
    (
        FILES,
        (
            rf"(?:all |the )*files? (?:that )?(?:related to|about|concerned with|concerning|dealing with|for) "
            rf"{_WHAT}",
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
            rf"(?:(?:list|show)(?: me)? )?(?:the |all )*(?:sub ?)?commands (?:of|in|for) {_WHAT}",
        ),
    ),
    (
        ENTRIES,
        (
            rf"how (?:do|can|should|would) (?:i|we|you|one) (?:run|start|launch|execute) {IT}(?: up)?",
            rf"how to (?:run|start|launch|execute)(?: {IT})?",
            rf"how (?:is|does) {IT} (?:run|started?|launched|executed)|what can (?:i|we|one) (?:run|start)",
        ),
    ),
    (
        CONFIGURE,
        (
            r"(?:the |all )*(?:environment variables?|env ?vars?|config(?:uration)? (?:options?|keys?|values?|"
            r"settings?)|"
            r"command[- ]line (?:options|flags|arguments)|settings)(?: (?:for|of|about) (?P<what>.+))?",
            r"what (?:is|are) the (?P<verb>default)(?: value| setting)?s?(?: (?:for|of) (?P<what>.+))?",
            r"what (?:is|are) the (?P<verb>default) (?!values?\b|settings?\b)(?P<what>\S+(?: \S+){0,5})",
            r"(?:what|which|how (?:long|many|much|large|big|often))(?: does| is| are)? (?:the )?(?P<what>.+?)"
            r" (?:is |are )?(?:used |set |taken )?(?:to )?by (?P<verb>default)",
            r"what (?:does|do|is|are) (?:the )?(?P<what>.+?) (?P<verb>default) to",
            r"(?:is|are|does|do|will|can)(?: it| this| they)? (?:the )?(?P<what>.+?)"
            r"(?: (?:enabled|disabled|active|(?:turned |switched )?(?:on|off)))? by (?P<verb>default)",
            r"what (?:all )?can (?:i|we|you|one|be) (?:configured?|set|customi[sz]ed?|changed?|adjust(?:ed)?)",
            r"where (?:do|can|should) (?:i|we|you|one) (?:set|change|specify|define|put) (?:the |a |my "
            r")?(?P<what>.+)",
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
            rf"(?:{SHOW}|are there |how many ){_ALL}(?:direct )?(?:sub|child |derived )classes of {_WHAT}",
        ),
    ),
    (
        DEPENDENTS,
        (
            r"(?:who|what|which (?:modules?|files?|packages?|code|parts?|places?))(?: all)? "
            rf"(?:imports?|depends? (?:up)?on|requires?) {_WHAT}",
            rf"(?:where |why |how )?(?:does|do) {ONE} (?:depend (?:up)?on|rely on|import) (?P<what>[\w.@/-]+)",
            rf"(?:where|how often) is {_WHAT} imported(?: from)?",
            rf"(?:what needs?|which (?:modules?|files?|packages?) (?:needs?|uses?)) {_WHAT}",
            rf"(?:the |all )*(?:dependents|importers) of {_WHAT}",
            rf"what (?:would |will )?breaks?(?: here)? without {_WHAT}",
        ),
    ),
    (
        GATHER,
        (
            r"(?:which|what)(?: kinds? of| sorts? of| built-?in)? (?!(?:source )?files\b|"
            r"tests\b)(?P<what>(?:[\w-]+ )?(?:[\w-]+s|middleware)) "
            r"(?:are there|are (?:available|supported|built in|included|defined|provided|offered)|exist|can i use|"
            rf"(?:does|do|has|have) {ONE}(?: already)?(?: have| support| offer| provide| know| come with| "
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
            rf"has (?:it|this|they|{PROJECT}) got (?:an? |any |some )?{_WHAT}",
            rf"(?:does|do|can|has|have) (?:it|this|they|{PROJECT}|you)(?: already| also)? {_HAS} {_WHAT}",
        ),
    ),
)
