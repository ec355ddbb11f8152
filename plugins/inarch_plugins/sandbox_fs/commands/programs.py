"""Read-only tier except git: every option that each program may be given.

Left out on purpose are options that write (`sort -o`, `find -fprint`), start programs (`find -exec`, `sort
--compress-program`), follow links out of the workspace (`grep -R`, `find -L`, `du -L`), read names of files from a file
(`--files0-from`) or never end (`tail -f`).
"""

from __future__ import annotations

from inarch_plugins.sandbox_fs.commands.rules import Rule

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
    ),
    Rule(
        "cat",
        "-n -b -s -A -e -E -t -T -v -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs"
        " --show-nonprinting",
        "path+",
    ),
    Rule(
        "head",
        "-n:count -c:count -q -v -z -# --lines:count --bytes:count --quiet --silent --verbose --zero-terminated",
        "path+",
    ),
    Rule(
        "tail",
        "-n:count -c:count -q -v -z -# --lines:count --bytes:count --quiet --silent --verbose --zero-terminated",
        "path+",
    ),
    Rule(
        "wc",
        "-l -w -c -m -L --lines --words --bytes --chars --max-line-length --total=auto|always|only|never",
        "path+",
    ),
    Rule("pwd", "-P -L", ""),
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
    ),
    Rule(
        "uniq",
        "-c -d -D -i -u -z -f:number -s:number -w:number --count --repeated --all-repeated?none|prepend|separate"
        " --ignore-case --unique --zero-terminated --skip-fields:number --skip-chars:number --check-chars:number"
        " --group?separate|prepend|append|both",
        "path",
    ),
    Rule(
        "cut",
        "-b:text -c:text -d:text -f:text -n -s -z --bytes:text --characters:text --delimiter:text --fields:text"
        " --complement --only-delimited --output-delimiter:text --zero-terminated",
        "path+",
    ),
    Rule(
        "stat",
        "-c:text -f -t --format:text --printf:text --file-system --terse",
        "path+",
    ),
    Rule(
        "du",
        "-s -h -a -c -b -k -m -S -l -x -0 -d:number -B:text -t:count --summarize --human-readable --all --total --bytes"
        " --si --apparent-size --separate-dirs --count-links --one-file-system --null --max-depth:number"
        " --block-size:text --threshold:count --exclude:text --inodes --time?atime|ctime|access|use|status"
        " --time-style=full-iso|long-iso|iso",
        "path*",
    ),
    Rule(
        "echo", "", "", style="free",
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
    ),
    Rule(
        "cmp", "-b -l -s -n:number -i:text --print-bytes --verbose --quiet --silent --bytes:number",
        "path path", exits=_DIFFERENT,
    ),
    Rule(
        "comm", "-1 -2 -3 -z --check-order --nocheck-order --total --output-delimiter=text",
        "path path",
    ),
    Rule(
        "file", "-b -i -k -h -r -0 --brief --mime --mime-type --mime-encoding --keep-going --no-dereference --raw",
        "path+",
        forced=("--no-dereference",),
    ),
    Rule(
        "nl", "-b:text -f:text -h:text -d:text -i:number -l:number -n:ln|rn|rz -p -s:text -v:count -w:number"
        " --body-numbering:text --number-format:ln|rn|rz --number-width:number --starting-line-number:count",
        "path+",
    ),
    Rule(
        "tac", "-b -r -s:text --before --regex --separator:text", "path+",
    ),
    Rule(
        "sed", "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate", "lines path+",
        forced=("--sandbox",),
    ),
    Rule(
        "od", "-b -c -d -o -s -x -v -A:d|o|x|n -j:text -N:text -t:text -w?number --address-radix:d|o|x|n"
        " --skip-bytes:text --read-bytes:text --format:text --output-duplicates",
        "path+",
    ),
    Rule(
        "sha256sum", "-b -t -z --binary --text --tag --zero", "path+",
    ),
    Rule(
        "md5sum", "-b -t -z --binary --text --tag --zero", "path+",
    ),
    Rule(
        "basename", "-a -s:text -z --multiple --suffix:text --zero", "text text*",
    ),
    Rule("dirname", "-z --zero", "text text*"),
    Rule(
        "realpath", "-e -m -s -q -z --strip --no-symlinks --canonicalize-existing --canonicalize-missing", "path+",
    ),
    Rule(
        "tree",
        "-a -d -f -i -s -h -p -u -g -D -F -n -C -A -S -t -r -v -U -L:number -P:text -I:text --dirsfirst --noreport"
        " --du --prune --charset=text --filelimit=number --gitignore --matchdirs --ignore-case -J -N -Q -q -x",
        "path*",
    ),
    Rule(
        "date",
        "-u --utc --universal -I?date|hours|minutes|seconds|ns -R --rfc-email"
        " --iso-8601?date|hours|minutes|seconds|ns -d:text --date:text", "date_format?",
    ),
    Rule("true"),
    Rule("false", exits={1: "as it always does"}),
)  # fmt: skip
