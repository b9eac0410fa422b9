#!/bin/sh
# Makes rich.* beside this file: what one run of fio (3.33, Debian 12) printed in every format.
# mixed.* are of three runs of mixed.fio, so that their numbers differ from each other.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"
cp "$here/rich.fio" .
fio --output-format=terse,json+,normal --terse-version=5 --output=all.txt rich.fio > /dev/null
grep '^5;' all.txt > "$here/rich.terse5.txt"
sed -n '/^{/,/^}/p' all.txt > "$here/rich.jsonplus"
sed -n '1,/^Starting/p' all.txt | sed '/Laying out/d' > "$here/rich.normal.txt"
sed -n '/^}/,$p' all.txt | sed 1d >> "$here/rich.normal.txt"
rm -rf "$work"
