"""The phrasings that the rules know: regular expressions over a prompt in lower case, without politeness."""

from __future__ import annotations

import re

PROJECT = (
    r"(?:(?:this|the|that|my|our|your|whole|entire|current|a|an)\s+)*(?:python\s+|source\s+)?"
    r"(?:code ?base|code|repo|repository|project|package|library|app|application|program|folder|directory|"
    r"tool|source(?: code)?|"
    r"work ?space|here|everything|all this|this|it all)"
)
END = (
    r"(?:\s+(?:for|to|with) (?:me|us|a \w+(?: \w+)?)|\s+(?:please|briefly|quickly|in (?:short|brief|detail|"
    r"general)|(?:all )?about|is about|at a high level|in \w+ (?:words?|sentences?|lines?|paragraphs?)))*"
)
SUMMARIES = (
    rf"(?:summari[sz]e|describe|explain|outline|introduce|present|document|analy[sz]e|understand|explore|show|"
    rf"walk (?:me|us) through|"
    rf"tell (?:me|us) (?:all |everything |something |more )?(?:about|what)|what(?:'s| is| are)(?: in| inside)?|"
    rf"what does|how is|how are|"
    rf"give (?:me|us) .*?(?:summary|overview|tour|description|introduction|outline) (?:of|to)|get (?:me )?started with|"
    rf"(?:a |an |the )?(?:(?:short|brief|quick|high-level|general) )?(?:summary|overview|tour|outline|"
    rf"structure|architecture|layout|purpose|description|introduction) (?:of|to))"
    rf"\s+{PROJECT}(?:\s+(?:do|does|about|for|all about|work|works|structured|organi[sz]ed|laid out|built|"
    rf"made of|supposed to do|used for|is|contain|contains))*{END}",
    r"(?:please\s+)?(?:summari[sz]e|summary|overview|tl;?dr|tour|architecture|introduction|readme|describe|"
    r"project (?:structure|summary|overview)|high[- ]level (?:overview|summary))(?:\s+please)?",
    r"give (?:me|us) (?:a|an|the) (?:\w+ )?(?:summary|overview|tour|introduction)",
    rf"(?:what|how)(?:'s| is| does| do)?\s+{PROJECT}(?:\s+\w+){{0,4}}",
    rf"how does {PROJECT} work{END}",
    rf"(?:where|how) (?:do|should|can) (?:i|we|you) (?:start|begin)(?:\s+reading)?(?:\s+(?:in|with)?\s*{PROJECT})?",
    rf"what am i looking at|what(?:'s| is) (?:going on|in) (?:here|there)|what is(?: in| inside)?(?: here| there)?|"
    rf"what(?:'s| is) this(?: all)?"
    rf"(?: about)?|explain this{END}",
    rf"(?:what(?:'s| is) )?the (?:structure|architecture|layout|organi[sz]ation|purpose) of {PROJECT}",
)
SUMMARY_WORDS = (
    "code", "repo", "project", "package", "library", "app", "program", "folder", "directory", "tool", "source", "work",
    "here", "everything", "this", "it all", "summar", "overview", "tl", "tour", "architecture", "introduc", "readme",
    "descri", "structure", "start", "begin", "looking", "going on", "what is", "what's in",
)  # fmt: skip
"""One of these stands in all that `SUMMARIES` match; a text without any needs none of them compiled."""
ONE_AS_A_WHOLE = (
    r"(?:what (?:is|are|does|do)|(?:explain|describe|introduce|summari[sz]e|walk (?:me|us) through|"
    r"tell (?:me|us)(?: more| all| everything| something)? about|"
    r"what (?:can|could|do) (?:i|we|you|one) (?:do with|use)|"
    r"(?:what is |give (?:me|us) )?(?:an? |the )?(?:\w+ )?(?:overview|summary|introduction|tour|purpose|description) "
    r"(?:of|to)))(?: (?:the|an?))? (?P<what>[\w.@/-]+)(?: (?:do|all|about|for|used|good))*"
)
"""What asks of one thing what it is: of the project itself all of it is told."""
ONE_AS_A_WHOLE_WORDS = (
    "what", "explain", "describe", "introduce", "summar", "walk", "tell", "overview", "introduction", "tour", "purpose",
    "description",
)  # fmt: skip
"""The same of it as of `SUMMARIES`."""
FACETS = {
    "commands": r"(?:cli|command[- ]line|console|shell|terminal)?\s*(?:sub ?)?commands?|cli|command[- ]line interface",
    "routes": r"(?:http|url|api|rest|web)?\s*(?:routes?|end ?points?|urls?|urlpatterns|views?|apis?)",
    "entry points": r"(?:entry[- ]?points?|(?:console )?scripts?|executables?|main functions?)",
    "tests": r"(?:unit |integration |existing )?(?:tests?|test (?:files?|cases?|suites?|functions?|modules?))",
    "dependencies": (
        r"(?:(?:runtime |third[- ]party |external |optional |direct |dev(?:elopment)? )*(?:dependenc(?:y|ies)|"
        r"requirements?|packages? (?:it|this|that)? ?(?:needs?|requires?|depends? on|uses?)|libraries))"
    ),
    "classes": r"(?:public )?classes",
    "functions": r"(?:public )?functions",
    "modules": r"(?:sub ?)?(?:modules|packages)",
    "files": r"(?:source )?files",
    "licence": r"licen[sc]e",
}
FACET_WORDS = (
    "command", "cli", "route", "point", "url", "view", "api", "script", "executable", "main", "test", "dependenc",
    "requirement", "package", "librar", "class", "function", "module", "file", "licen",
)  # fmt: skip
"""The same of `FACETS`."""
LIST_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
    list show enumerate print display name what which give find get are there is how many see tell know kind kinds
    sort sorts me us all every any the its of this these each project's codebase's package's repo's repository's
    available top-level main for to on does do here that project codebase code package library repo repository app
    application in it i we you can could have has had use uses used using exist exists defined expose exposed exposes
    provide provided provides offer offers need needs needed require requires required run call tool my our program
    under licensed depend depends please and where they installed""",
    )
)
"""Words around the noun of a list that add nothing to it."""
TEST_RUN = (
    r"how (?:do|can|should|would|are|to)\s*(?:i|we|you|one)?\s*(?:the |its |these )?(?:run|execute|start|launch|"
    r"tests?)\s*(?:the |all |its |this project'?s? )*(?:tests?|test suite|run|executed)?"
)
TEST_RUN_WORDS = ("run", "execute", "start", "launch", "test")
NEEDS = rf"what (?:does|do) (?:it|this|{PROJECT}) (?:depend on|require|need)"
NEEDS_WORDS = ("depend", "require", "need")
CALLERS = (
    r"(?:who|what|which (?:code|functions?|methods?|places?|modules?|classes)|where)\s+(?:all\s+)?(?:calls?|"
    r"uses?|imports?|invokes?|references?|instantiates?|creates?|depends? on|"
    r"raises?)\s+(?P<what>.+)",
    r"(?:list |show |find |get |give me |what are )?(?:me )?(?:all |the |every )*(?:callers?|call sites?|"
    r"usages?|uses?|references?|users?) (?:of|to|for)\s+(?P<what>.+)",
    r"(?:where|from where|how often) (?:is|are|does|do|was|were|gets?)\s+(?P<what>.+?)\s+(?:get |being |"
    r"actually |ever )*(?:called|used|invoked|imported|referenced|instantiated|raised)(?:\s+from)?",
    r"is (?P<what>\S+) (?:called|used|referenced)(?: anywhere)?",
    r"what (?:breaks|would break|will break|could break|is affected|would be affected|depends on it) (?:if|when)\s+"
    r"(?:i |we |you |one |somebody )?(?:changed?|changes|removed?|removes|renamed?|renames|deleted?|deletes|edits?|"
    r"modify|modifies|touch|break)\s+(?P<what>.+)",
    r"(?:what is )?(?:the )?impact of (?:changing|removing|renaming|deleting|editing|modifying)\s+(?P<what>.+)",
)
CALLEES = (
    r"(?:what|which (?:functions?|methods?)) (?:does|do|is|are)\s+(?P<what>.+?)\s+(?:call|calls|called by|"
    r"invoke|use|depend on)s?",
    r"(?:list |show |find )?(?:me )?(?:all |the )*callees of\s+(?P<what>.+)",
)
CALL_WORDS = (
    "call", "use", "usage", "import", "invoke", "reference", "instantiate", "create", "depend", "raise", "break",
    "affected", "impact",
)  # fmt: skip
"""The same of `CALLERS` and of `CALLEES`."""
_SIDES = r"(?P<one>[^,;]{1,60}?)\s+%s\s+(?P<other>[^,;]{1,60}?)"
COMPARISONS = (
    r".*\bdifferences?\s+(?:is |are )?between\s+" + _SIDES % "(?:and|&)",
    r"(?:compare|contrast)\s+" + _SIDES % "(?:and|to|with|against|&)",
    r"(?:how|in what)\s+(?:do|does|are|is)\s+"
    + _SIDES % "(?:and|from)"
    + r"\s+(?:differ|different|compare|relate|related)",
    r"how (?:is|are|does)\s+" + _SIDES % "(?:different from|differ from|compared? (?:to|with)|related? to)",
    r"(?:what is |when (?:to|should i) use )?" + _SIDES % r"(?:vs\.?|versus)",
)
"""Questions that set two things against each other."""
COMPARISON_WORDS = ("differ", "compar", "contrast", "relat", "vs", "versus")
"""The same of `COMPARISONS` as of `SUMMARIES`."""
WHERE = (
    r"(?:in )?(?:where|which (?:file|function|class|module|method|part|place|code|line|component)|what (?:file|"
    r"function|class|module|method))\b|(?:find|locate|search(?: for)?|look (?:for|up)|grep(?: for)?|show me where|"
    r"point me to|go to)\b|is there (?:a|an|any) "
)
WHERE_WORDS = ("where", "which", "what", "find", "locate", "search", "look", "grep", "point me", "go to", "is there")
EXPLAIN = frozenset(
    re.findall(
        r"\w+",
        """
    how explain describe what which why when show tell document walk clarify summarise summarize elaborate understand
    give does do is are can who outline read look see open view print cat""",
    )
)
"""First words of what asks for an explanation."""
HELP = (
    r"(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|day)|howdy|greetings)(?: there| you| all|"
    r" inarch)?(?:,? how are you.*)?|"
    r"thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|cheers|bye|goodbye|ok(?:ay)?|cool|great|nice|yes|no|"
    r"test|ping|help(?: me)?(?: please)?|"
    r"(?:who|what) are you(?: .*)?|what can (?:you|i|inarch) (?:do|ask)(?: .*)?|how (?:are you|can you help"
    r"(?: me)?)(?: .*)?|what do you do|"
    r"how do i use (?:you|this|inarch)|what(?:'s| is) your name|are you (?:a|an) .*|what (?:model|llm) "
    r"(?:are you|is this).*|usage|\?+"
)
HELP_WORDS = (
    "hi", "hello", "hey", "yo", "good", "howdy", "greet", "thank", "thx", "cheers", "bye", "ok", "cool", "great",
    "nice", "no", "yes", "test", "ping", "help", "can i", "you", "inarch", "do i use", "model", "llm", "usage", "?",
)  # fmt: skip
"""The same of `HELP`."""
MODEL_VERBS = frozenset(
    re.findall(
        r"\w+",
        """
    fix implement add write refactor improve optimise optimize review debug port convert generate design update upgrade
    make remove build clean rewrite migrate translate solve suggest propose create extend change modify rename simplify
    test audit check commit edit insert repair resolve speed should compare verify validate finish complete develop
    delete replace move run execute install deploy reformat format split merge extract plan prove
    swap reorder rearrange inline uncomment indent bump tidy""",
    )
)
CASE = r"what (?:happens|would happen|will happen|if|does \w+ do) (?:if|when|in case|for|with|without)\b|what if\b"
"""What is asked of some case: “what happens if an option is given twice?”."""
HOW_TO = r"how (?:(?:do|can|could|should|would|must) (?:i|we|you|one)|to)\b|is it possible to\b|what is the way to\b"
BEHAVIOUR = (
    r"(?:make|convert|generate|build|clean|split|merge|extract|format|reformat|move|replace|remove|delete|update|insert|"
    r"repair|resolve|compare|verify|validate|check|run|execute|turn|translate)\s+"
    r"(?:an?|one|two|three|several|some|many|each|every|any|different)\s+"
    r"(?!.*\b(?:functions?|class(?:es)?|methods?|modules?|tests?|files?|scripts?|docs?|docstrings?|commands?|options?|"
    r"plugins?|endpoints?|comments?|type hints?|releases?|pr|branch|commits?)\b)"
)
"""What a program does, said without a question: of one thing or another, not of this one, and not of its code."""
DEFINED = r"where (?:is|are|was) [`'\"]?(?P<name>[A-Za-z_])[`'\"]? (?:defined|declared|implemented)"
"""Where a name of one letter is defined: `a` and `i` would be words that only ask."""
PRONOUNS = frozenset(("it", "its", "that", "this", "them", "they", "those", "these", "he", "she", "one"))
WHAT_HAPPENS = frozenset((
    "defined", "declared", "implemented", "validated", "checked", "configured", "set", "called", "used", "created",
    "tested", "it", "them",
))  # fmt: skip
