"""The read-only tier but for git: every option that each program may be given.

Left out on purpose: what writes (`sort -o`, `find -fprint`), starts programs (`find -exec`, `sort --compress-program`),
follows links out of the workspace (`grep -R`, `find -L`, `du -L`), takes names of files from a file (`--files0-from`)
or never ends (`tail -f`).
"""

from __future__ import annotations

from inarch_sandbox_fs.commands.rules import Rule

_RETURNED = "its output is returned; use write_file to keep it"
_NO_LINKS = "links are not followed: name the file itself"
_ONE_EACH = "run the command on what it lists, one call each"
_END = "use tail -n to see the end as it is now"
_DIFFERENT = {1: "they differ"}
_NO_MATCH = {1: "nothing matched"}

PROGRAMS: tuple[Rule, ...] = (
    Rule(
        "ls",
        "-a -A -l -h -1 -R -r -t -S -d -F -p -i -s -n -g -o -G -N -Q -q -b -B -U -X -v -c -u -m -x -C -k --all"
        " --almost-all --human-readable --recursive --reverse --directory --full-time --group-directories-first"
        " --inode --size --si --no-group --numeric-uid-gid --file-type --classify --escape --ignore-backups"
        " --color?always|never|auto --sort=none|size|time|version|extension|width --time-style=full-iso|long-iso|iso"
        " --time=atime|ctime|mtime|birth --format=long|verbose|commas|horizontal|across|vertical|single-column"
        " --indicator-style=none|slash|file-type|classify --hide:text -I:text --ignore:text -w:number --width:number",
        "path*",
        remedies={"-L": _NO_LINKS, "-H": _NO_LINKS},
        match=("ls", "ls -la", "ls -la src tests", "ls --color=never -w 80 .", "ls -w80", "ls -I '*.pyc' -- -odd"),
        not_match=("ls /etc", "ls ..", "ls src/../..", "ls --al", "ls -L", "ls --all=yes", "ls -w"),
    ),
    Rule(
        "cat",
        "-n -b -s -A -e -E -t -T -v -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs"
        " --show-nonprinting",
        "path+",
        match=("cat a.txt", "cat -n a.txt b.txt", "cat -- -n", "cat -nA a.txt"),
        not_match=("cat", "cat /etc/passwd", "cat ../a.txt", "cat --num a.txt", "cat -x a.txt", "cat a/../../b"),
    ),
    Rule(
        "head",
        "-n:count -c:count -q -v -z -# --lines:count --bytes:count --quiet --silent --verbose --zero-terminated",
        "path+",
        match=("head a.txt", "head -5 a.txt", "head -n 5 a.txt", "head -n5 a b", "head --lines=5 a.txt",
               "head -c 1k a"),
        not_match=("head", "head -n x a.txt", "head --line=5 a.txt", "head -5q a.txt", "head /etc/passwd"),
    ),
    Rule(
        "tail",
        "-n:count -c:count -q -v -z -# --lines:count --bytes:count --quiet --silent --verbose --zero-terminated",
        "path+",
        remedies={"-f": _END, "-F": _END, "--follow": _END, "--retry": _END, "--pid": _END},
        match=("tail a.txt", "tail -n +5 a.txt", "tail -20 a.txt", "tail -qn5 a b"),
        not_match=("tail -f a.txt", "tail -F a.txt", "tail --follow a.txt", "tail -n5f a.txt", "tail --pid=1 a.txt"),
    ),
    Rule(
        "wc",
        "-l -w -c -m -L --lines --words --bytes --chars --max-line-length --total=auto|always|only|never",
        "path+",
        match=("wc -l a.txt", "wc -lw a b", "wc --lines a.txt"),
        not_match=("wc", "wc --files0-from=a a", "wc --files0-from a", "wc -l /etc/passwd"),
    ),
    Rule("pwd", "-P -L", "", match=("pwd", "pwd -P"), not_match=("pwd x", "pwd --help me")),
    Rule(
        "grep",
        "-i -v -w -x -c -n -l -L -o -q -s -h -H -r -E -F -G -P -a -I -b -T -U -Z -z -y -# --ignore-case --invert-match"
        " --no-ignore-case --word-regexp --line-regexp --count --line-number --files-with-matches"
        " --files-without-match --only-matching --quiet --silent --no-messages --no-filename --with-filename"
        " --recursive --extended-regexp --fixed-strings --basic-regexp --perl-regexp --text --byte-offset"
        " --initial-tab --binary --null --null-data --line-buffered -A:number -B:number -C:number -m:number"
        " --after-context:number --before-context:number --context:number --max-count:number -e:text --regexp:text"
        " -f:path --file:path --include:text --exclude:text --exclude-dir:text --color?always|never|auto"
        " --colour?always|never|auto -d:skip|recurse|read -D:skip --binary-files:binary|text|without-match"
        " --directories:skip|recurse|read --devices:skip --label:text",
        "text path+",
        instead_of_first="-e --regexp -f --file",
        optional_with="-r --recursive",
        exits=_NO_MATCH,
        remedies={"-R": "use -r, which follows no links", "--dereference-recursive": "use -r, which follows no links"},
        match=(
            "grep -rn 'def main' .", "grep -rn main", "grep -e a -e b x.txt", "grep -A3 -B 3 x a.txt",
            "grep --include='*.py' -r x src", "grep -3 x a.txt", "grep -f words.txt a.txt", "grep -rlE 'a|b' -- src",
            "grep -- -x a.txt",
        ),
        not_match=(
            "grep x", "grep -f /etc/passwd a.txt", "grep -R x .", "grep -rf../w a", "grep --recur x .",
            "grep x /etc/passwd", "grep -f", "grep --file=../w x a",
        ),
    ),
    Rule(
        "find",
        "-P -name:text -iname:text -path:text -ipath:text -wholename:text -iwholename:text -regex:text -iregex:text"
        " -regextype:text -lname:text -ilname:text -type:text -xtype:text -size:text -mtime:count -atime:count"
        " -ctime:count -mmin:count -amin:count -cmin:count -newer:path -anewer:path -cnewer:path -newermt:text"
        " -perm:text -user:text -group:text -links:count -inum:count -maxdepth:number -mindepth:number -empty"
        " -executable -readable -writable -nouser -nogroup -print -print0 -printf:text -ls -prune -quit -true -false"
        " -a -and -o -or -not -depth -d -mount -xdev -daystart -noleaf -ignore_readdir_race -noignore_readdir_race"
        " ( ) ! ,",
        "path*",
        style="find",
        remedies={
            "-exec": _ONE_EACH, "-execdir": _ONE_EACH, "-ok": _ONE_EACH, "-okdir": _ONE_EACH,
            "-delete": "use delete_file", "-fprint": _RETURNED, "-fprint0": _RETURNED, "-fprintf": _RETURNED,
            "-fls": _RETURNED, "-L": _NO_LINKS, "-H": _NO_LINKS, "-follow": _NO_LINKS,
        },
        match=(
            "find", "find .", "find . -name '*.py'", "find src tests -type f -size +10k -not -path './x/*'",
            r"find . \( -name a -o -name b \) -print", r"find . \! -name '*.pyc' -maxdepth 2",
                   "find . -printf '%p %s\\n'",
        ),
        not_match=(
            r"find . -exec rm '{}' \;", "find . -delete", "find . -fprint x", "find . -fprintf x y", "find . -fls x",
            "find . -ok ls", "find . -execdir ls", "find . -okdir ls", "find /", "find .. -name x", "find -L .",
            "find -files0-from x", "find . -name", "find . -newer /etc/passwd", "find . -name x -exe y",
            "find -name x .",
        ),
    ),
    Rule(
        "sort",
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k:text -t:text --ignore-leading-blanks"
        " --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort"
        " --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort"
        " --check?quiet|silent|diagnose-first --merge --stable --unique --zero-terminated"
        " --key:text --field-separator:text --debug --sort=text",
        "path+",
        exits={1: "not in order"},
        remedies={"-o": _RETURNED, "--output": _RETURNED},
        match=("sort a.txt", "sort -rn -k2 a.txt", "sort -t , -k 2,3n a.csv", "sort -t, --key=1 a b"),
        not_match=(
            "sort -o b a", "sort -ob a", "sort -no b a", "sort --output=b a", "sort --out=b a", "sort -T x a",
            "sort --compress-program=sh a", "sort --files0-from=a", "sort -S 1G a", "sort", "sort --random-source=a b",
        ),
    ),
    Rule(
        "uniq",
        "-c -d -D -i -u -z -f:number -s:number -w:number --count --repeated --all-repeated?none|prepend|separate"
        " --ignore-case --unique --zero-terminated --skip-fields:number --skip-chars:number --check-chars:number"
        " --group?separate|prepend|append|both",
        "path",
        match=("uniq a.txt", "uniq -c a.txt", "uniq -f1 -w 3 a.txt"),
        not_match=("uniq a b", "uniq", "uniq -c a -- b", "uniq /etc/passwd", "uniq --cou a"),
    ),
    Rule(
        "cut",
        "-b:text -c:text -d:text -f:text -n -s -z --bytes:text --characters:text --delimiter:text --fields:text"
        " --complement --only-delimited --output-delimiter:text --zero-terminated",
        "path+",
        match=("cut -d , -f 1,3 a.csv", "cut -c1-10 a.txt", "cut -f2 --complement a b"),
        not_match=("cut -f1", "cut --field=1 a", "cut -f1 ../a", "cut -f1 a -o x"),
    ),
    Rule(
        "stat",
        "-c:text -f -t --format:text --printf:text --file-system --terse",
        "path+",
        remedies={"-L": _NO_LINKS, "--dereference": _NO_LINKS},
        match=("stat a.txt", "stat -c '%s %n' a b", "stat --format=%s a"),
        not_match=("stat", "stat -L a", "stat /etc/passwd", "stat --cached=never a"),
    ),
    Rule(
        "du",
        "-s -h -a -c -b -k -m -S -l -x -0 -d:number -B:text -t:count --summarize --human-readable --all --total --bytes"
        " --si --apparent-size --separate-dirs --count-links --one-file-system --null --max-depth:number"
        " --block-size:text --threshold:count --exclude:text --inodes --time?atime|ctime|access|use|status"
        " --time-style=full-iso|long-iso|iso",
        "path*",
        remedies={"-L": _NO_LINKS, "-D": _NO_LINKS, "-H": _NO_LINKS},
        match=("du", "du -sh .", "du -h -d 1", "du -ah --max-depth=2 src", "du --exclude='*.o' src"),
        not_match=("du -L", "du --files0-from=x", "du -X x .", "du --exclude-from=x", "du /", "du -D x"),
    ),
    Rule(
        "echo", "", "", style="free",
        match=("echo hello", "echo -n 'a b'", "echo --any /thing '$HOME'", "echo"), not_match=("echoes x",),
    ),
    Rule(
        "diff",
        "-u -c -q -s -y -r -N -a -b -B -w -i -E -Z -t -T -p -e -n -d -H -U:number -C:number -W:number -x:text -I:text"
        " -F:text --unified?number --context?number --brief --report-identical-files --side-by-side --recursive"
        " --new-file --unidirectional-new-file --text --ignore-space-change --ignore-blank-lines --ignore-all-space"
        " --ignore-case --ignore-tab-expansion --ignore-trailing-space --expand-tabs --initial-tab --show-c-function"
        " --minimal --normal --ed --rcs --exclude:text --ignore-matching-lines:text --width:number"
        " --suppress-common-lines --left-column --strip-trailing-cr --speed-large-files --color?always|never|auto"
        " --no-dereference --label:text",
        "path path",
        forced=("--no-dereference",),
        exits=_DIFFERENT,
        match=("diff a b", "diff -u a b", "diff -U5 a b", "diff -rq old new", "diff --unified=2 --color=never a b"),
        not_match=("diff a", "diff a b c", "diff a /etc/passwd", "diff --from-file=a b", "diff -X x a b", "diff -l a b",
                   "diff --to-file=a b", "diff --exclude-from=x a b", "diff a ../b", "diff --horizon-lines=1 a b"),
    ),
    Rule(
        "cmp", "-b -l -s -n:number -i:text --print-bytes --verbose --quiet --silent --bytes:number",
        "path path", exits=_DIFFERENT,
        match=("cmp a b", "cmp -s a b", "cmp -n 10 a b"), not_match=("cmp a", "cmp a /etc/passwd", "cmp a b 1 2"),
    ),
    Rule(
        "comm", "-1 -2 -3 -z --check-order --nocheck-order --total --output-delimiter=text",
        "path path",
        match=("comm a b", "comm -12 a b"), not_match=("comm a", "comm a ../b", "comm --output a b"),
    ),
    Rule(
        "file", "-b -i -k -h -r -0 --brief --mime --mime-type --mime-encoding --keep-going --no-dereference --raw",
        "path+",
        forced=("--no-dereference",),
        remedies={"-L": _NO_LINKS},
        match=("file a.bin", "file -b --mime-type a b"),
        not_match=("file", "file -C", "file -m x a", "file -z a", "file -f x", "file -s a", "file -L a",
                   "file -P a=1 b"),
    ),
    Rule(
        "nl", "-b:text -f:text -h:text -d:text -i:number -l:number -n:ln|rn|rz -p -s:text -v:count -w:number"
        " --body-numbering:text --number-format:ln|rn|rz --number-width:number --starting-line-number:count",
        "path+",
        match=("nl a.txt", "nl -ba a.txt", "nl -b a -w 4 a.txt"), not_match=("nl", "nl /etc/passwd", "nl --body=a x"),
    ),
    Rule(
        "tac", "-b -r -s:text --before --regex --separator:text", "path+",
        match=("tac a.txt", "tac a b"), not_match=("tac", "tac /etc/passwd", "tac --sep x a"),
    ),
    Rule(
        "sed", "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate", "lines path+",
        remedies={
            "-i": "use patch_source_file to change a file", "--in-place": "use patch_source_file to change a file",
            "-e": "give the lines to print as one word, such as '10,20p'",
        },
        forced=("--sandbox",),
        match=("sed -n 10,20p a.txt", "sed -n '5p' a.txt", "sed -n '1,5p;$p' a b", "sed -n '3,$p' a"),
        not_match=(
            "sed -i s/a/b/ a", "sed -n '1e ls' a", "sed s/a/b/ a", "sed -n '1w x' a", "sed -f x a", "sed -n 1p",
            "sed -n 1p /etc/passwd", "sed -ne 1p a", "sed -n '1,5p;w x' a", "sed -n r/etc/passwd a",
        ),
    ),
    Rule(
        "od", "-b -c -d -o -s -x -v -A:d|o|x|n -j:text -N:text -t:text -w?number --address-radix:d|o|x|n"
        " --skip-bytes:text --read-bytes:text --format:text --output-duplicates",
        "path+",
        match=("od -c a.bin", "od -A x -t x1 -N 64 a.bin", "od -tx1 a"), not_match=("od", "od /dev/zero",
               "od --form x a"),
    ),
    Rule(
        "sha256sum", "-b -t -z --binary --text --tag --zero", "path+",
        match=("sha256sum a b", "sha256sum --tag a"), not_match=("sha256sum", "sha256sum -c sums", "sha256sum /etc/x"),
    ),
    Rule(
        "md5sum", "-b -t -z --binary --text --tag --zero", "path+",
        match=("md5sum a",), not_match=("md5sum", "md5sum --check sums"),
    ),
    Rule(
        "basename", "-a -s:text -z --multiple --suffix:text --zero", "text text*",
        match=("basename src/a.py", "basename src/a.py .py", "basename -a a/b c/d"),
        not_match=("basename", "basename --mult a"),
    ),
    Rule("dirname", "-z --zero", "text text*", match=("dirname src/a.py",), not_match=("dirname", "dirname -x a")),
    Rule(
        "realpath", "-e -m -s -q -z --strip --no-symlinks --canonicalize-existing --canonicalize-missing", "path+",
        match=("realpath a.txt", "realpath -m a/b"), not_match=("realpath", "realpath /etc",
               "realpath --relative-to=/ a"),
    ),
    Rule(
        "tree",
        "-a -d -f -i -s -h -p -u -g -D -F -n -C -A -S -t -r -v -U -L:number -P:text -I:text --dirsfirst --noreport"
        " --du --prune --charset=text --filelimit=number --gitignore --matchdirs --ignore-case -J -N -Q -q -x",
        "path*",
        remedies={"-o": _RETURNED, "-l": _NO_LINKS},
        match=("tree", "tree -L 2 src", "tree -a -I node_modules", "tree -P '*.py' --prune ."),
        not_match=("tree -o x", "tree -l", "tree /", "tree -R -H x", "tree --fromfile x", "tree --gitfile=x"),
    ),
    Rule(
        "date",
        "-u --utc --universal -I?date|hours|minutes|seconds|ns -R --rfc-email"
        " --iso-8601?date|hours|minutes|seconds|ns -d:text --date:text", "date_format?",
        match=("date", "date -u +%Y-%m-%d", "date -Iseconds", "date -d yesterday"),
        not_match=("date -s x", "date --set=x", "date 010100002000", "date -f x", "date -r x", "date --dat x"),
    ),
    Rule("true", match=("true",), not_match=("true x",)),
    Rule("false", exits={1: "as it always does"}, match=("false",), not_match=("false x",)),
)  # fmt: skip
