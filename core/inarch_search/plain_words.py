"""Plain words by hand: what people say, and what programs call it, one way alone: code is rarely put in plainer terms.

General words of programming alone belong here, none for the sake of one package: a line is worth its place if it would
be true of most code that it is about.
"""

from __future__ import annotations

_SAID = """
crash break blow die: exception error failure fault abort panic
wrong incorrect mistake: invalid error bad mismatch
problem trouble: error warning issue exception
broken bad malformed damaged garbage: corrupt invalid malformed
mend repair: fix recover restore
told inform announce alert: listener event notify callback signal emit report
thrown throw: raise discard evict drop purge
away: discard remove evict expire
full: limit overflow capacity max evict
allow permit: allow permission enable accept
forbid ban refuse reject: deny block disallow forbid disable
need insist mandatory: require mandatory check ensure validate
forgotten lack absent left: missing omit default
optional: default null
picture photo icon: image img
address: url uri host addr
website web page site: url html page
switch: flag option toggle boolean
tolerance slack: margin threshold skew
clock hour today: time date now utc
second minute: interval timeout duration period
periodic regular every: interval schedule timer poll period
long: timeout duration length limit
old outdated: expire stale deprecated legacy previous
new fresh: create init
keep kept remain remember: cache store retain hold save
forget: clear invalidate expire reset
peek inside: inspect decode read
silent quiet mute: suppress ignore silence quiet
deep level inner: depth nest level recursion
whole: integer full all
decimal comma point: float double decimal
grow bigger enlarge: resize expand extend realloc
shrink smaller: compress reduce trim
room space: buffer capacity size memory
sign letter: char character symbol
line: row newline
row: line record
spread divide distribute: shard partition split balance
apart: split parse separate
piece part: chunk segment split
together glue: join concat merge
share: shared common
foreign stranger outside: external origin remote
safe secure protect: lock escape sanitize
dangerous evil: unsafe escape
turn translate become: convert transform
digit number: num int count
answer: response result reply
ask: request query prompt
question: query prompt
again anew: retry reload repeat refresh
refresh: reload update invalidate
wait pause: sleep delay timeout block
stop end quit: exit terminate close shutdown cancel
finish ended: complete close finalize
begin launch: start run init open
execute: run exec invoke eval
fast quick cheap: cache lazy optimize
slow: throttle delay limit
free: release dispose
usage manual: help doc
explain: help description
save keep: write dump store persist
put place: insert add set push
hand give: pass set send
alter edit: modify update replace patch
different differ: diff compare change
same: equal eq identical compare
see look watch: view inspect observe
react: handler callback event listener
decide: resolve select choose
many: count batch bulk parallel
fewer less: decrease decrement reduce
last: tail end final
first: head initial
before: pre hook
after: post hook
twice double repeated: duplicate dedupe unique
secret: password credential token mask
person customer: user account
machine computer: host server node
simultaneous: concurrent parallel thread async
background: worker thread daemon async
busy: lock block wait
pretty nice beautiful: format indent
plain: raw text str
tongue language: locale lang
day: date calendar
grid: table column
branch: tree node
try: attempt test
back: revert rollback undo restore
jump: skip goto
random chance: jitter shuffle seed
mix: merge combine
measure: metric stats timing
draw paint: render display
press key: keyboard binding
window screen: terminal display viewport
width narrow: width wrap columns
cut shorten: truncate slice trim strip
stick: join append
leave: exit skip ignore
lost: missing drop
find: search lookup locate resolve
known: register registry
belong: owner parent
child: sub nested inner
parent: owner super base
empty: blank null clear
unknown strange: unrecognized invalid missing
similar: match fuzzy suggest
typo misspelled: suggest closest similar
copy: clone duplicate
move: rename transfer shift
link: url reference symlink
network internet: socket connection http
proof trust: verify certificate
signed: sign signature verify
lock: mutex acquire
reach arrive: dispatch route deliver
path: route path
choice: option select enum
rule: policy validator constraint
step: stage middleware
chain: pipeline middleware compose
settle agree: negotiate
cost expensive: performance limit
colour: color style
bold italic: style format
"""


def plain_words() -> dict[str, tuple[str, ...]]:
    """Give for each plain word what programs call the same."""
    found: dict[str, dict[str, None]] = {}
    for line in _SAID.strip().splitlines():
        said, _, called = line.partition(": ")
        for word in said.split():
            found.setdefault(word, {}).update(dict.fromkeys(other for other in called.split() if other != word))
    return {word: tuple(others) for word, others in found.items()}
